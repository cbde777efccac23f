"""Published files refer only to files and names that exist, and all use the same name and version of the product. The
test needs no container engine or registry."""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import yaml

from tellonce.client_settings import RelaySettings, SummarizerSettings
from tellonce.settings import ServerSettings, variable
from tellonce_server.api.assistant import AssistantTools
from tests.unit.test_docs import command

ROOT = Path(__file__).parents[2]
KINDS = (ServerSettings, SummarizerSettings, RelaySettings)
KNOWN = {variable(name, field) for kind in KINDS for name, field in kind.model_fields.items()}


def services() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    return found


def test_every_service_of_ours_runs_a_command_that_is_there_with_settings_that_are_there() -> None:
    ours = {name: service for name, service in services().items() if service.get("image") == "tellonce"}
    assert set(ours) == {"server", "summarizer", "relay"}
    for service in ours.values():
        assert service["command"][0] in command().commands
        assert set(service["environment"]) <= KNOWN
        assert service["volumes"] == ["memory:/data"]
        assert service["read_only"]
    assert ours["server"]["ports"] == ["127.0.0.1:8765:8765"]
    assert services()["database"]["image"].startswith("pgvector/pgvector:0.8.")


def test_the_image_runs_as_nobody_in_particular_and_is_asked_whether_it_is_ready() -> None:
    text = (ROOT / "Dockerfile").read_text()
    assert set(re.findall(r"\b(TELLONCE_[A-Z_]+)=", text)) <= KNOWN
    assert re.search(r"^USER 10001$", text, re.M)
    assert "HEALTHCHECK" in text
    assert "/ready" in text
    assert ".env" in (ROOT / ".dockerignore").read_text().split()


def test_every_registry_is_given_the_same_name_and_version() -> None:
    def read(file: str) -> Any:
        text = (ROOT / file).read_text()
        return tomllib.loads(text) if file.endswith(".toml") else json.loads(text)

    project, bundle = read("pyproject.toml")["project"], read("plugins/claude-desktop/pyproject.toml")["project"]
    server, desktop = read("server.json"), read("plugins/claude-desktop/manifest.json")
    plugin, market = read("plugins/claude-code/.claude-plugin/plugin.json"), read(".claude-plugin/marketplace.json")
    package = server["packages"][0]
    named = [desktop["name"], plugin["name"], market["name"], market["plugins"][0]["name"], package["identifier"]]
    assert set(named) == {project["name"]} == {"tellonce"}
    versions = [desktop["version"], plugin["version"], server["version"], package["version"], bundle["version"]]
    assert set(versions) == {project["version"]}
    assert bundle["dependencies"] == [f"tellonce=={project['version']}"]
    assert (ROOT / "README.md").read_text().endswith(f"<!-- mcp-name: {server['name']} -->\n")
    assert server["name"].startswith("io.github.tellonce/")


def test_the_desktop_bundle_names_every_tool_of_an_assistant() -> None:
    manifest = json.loads((ROOT / "plugins/claude-desktop/manifest.json").read_text())
    known = {name for name in vars(AssistantTools) if not name.startswith("_")}
    assert {tool["name"] for tool in manifest["tools"]} == known - {"record_turn"}  # models do not see this tool
