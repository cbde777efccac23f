"""Builds `tellonce-light` from the metadata of `tellonce`, so that each dependency and package is declared once."""

import re
import tomllib
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

ROOT = Path(__file__).parents[1]
FULL = tomllib.loads((ROOT / "pyproject.toml").read_text())


class Metadata(MetadataHookInterface):
    """Divides the dependencies of `tellonce` into those of a client and those of each extra."""

    def update(self, metadata: dict[str, Any]) -> None:
        project = FULL["project"]
        extras: dict[str, list[str]] = {extra: names for extra, names in self.config.items() if extra != "path"}
        by_name = {re.match(r"[\w-]+", line)[0]: line for line in project["dependencies"]}
        chosen = {extra: [by_name.pop(name) for name in names] for extra, names in extras.items()}
        metadata |= {
            "version": project["version"],
            "dependencies": list(by_name.values()),
            "optional-dependencies": chosen,
        }


class Packages(BuildHookInterface):
    """Adds the packages and examples of `tellonce`."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        wheel = FULL["tool"]["hatch"]["build"]["targets"]["wheel"]
        included = {**{path: Path(path).name for path in wheel["packages"]}, **wheel["force-include"]}
        build_data["force_include"] |= {str(ROOT / path): name for path, name in included.items()}
