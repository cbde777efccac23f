"""The conclusions of `tellonce doctor`, with the fix for each problem. Apart from reading files, this module is
pure."""

import shlex
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tellonce_server.app.access_tokens import LOCAL_SCOPES
from tellonce_server.embedding.model_files import complete
from tellonce_server.postgres.readiness import Readiness, for_administrator, hindrance

WEIGHTS = "model.safetensors"


@dataclass(frozen=True)
class Finding:
    """The result of one check. `ok` is None if the result is neither good nor bad."""

    ok: bool | None
    text: str
    fix: str = ""


fine, noted, wrong = (partial(Finding, ok) for ok in (True, None, False))


def readiness_finding(found: Readiness, name: str) -> Finding:
    if said := hindrance(found):
        return wrong(f"{name}: {said}", "install it, or unset DATABASE_URL to use the embedded PostgreSQL")
    if said := for_administrator(found):
        return wrong(f"{name} is not set up", f"run `tellonce database setup`. If you lack the rights: {said}")
    return fine(f"{name.removesuffix(' PostgreSQL')} {found.name} with pgvector {found.installed}")


def tokens_finding(folder: Path) -> Finding:
    files = [folder / scope for scope in LOCAL_SCOPES]
    missing = [file.name for file in files if not file.exists()]
    if len(missing) == len(files):
        return noted("access tokens: created when the server first starts")
    if missing:
        return wrong(f"access tokens: {', '.join(missing)} missing in {folder}", "start the server again")
    if any(stat.S_IMODE(file.stat().st_mode) & 0o077 for file in files):
        fix = f"chmod 600 {shlex.join(map(str, files))}"
        return wrong(f"access tokens in {folder} can be read by others", fix)
    return fine(f"access tokens in {folder}, readable by you alone")


def model_finding(folder: Path, source: Path | None) -> Finding:
    """`folder` can contain a prepared model, and the configured `source` a prepared or original one."""
    ready = next((place for place in (source, folder) if place is not None and complete(place)), None)
    if ready is not None:
        return fine(f"embedding model in {ready}")
    if source is None:
        text = "embedding model: not here yet. A running server downloads it in the background; search works by words until then"
        return noted(text, "without a network, set TELLONCE_EMBEDDING_MODEL_DIR to a folder with the model")
    if any(source.rglob(WEIGHTS)):
        return fine(f"embedding model in {source}, to be prepared at the first start")
    return wrong(f"embedding model: {source} does not contain {WEIGHTS}", "unset TELLONCE_EMBEDDING_MODEL_DIR")


def models_finding(names: Sequence[str], wanted: Mapping[str, str]) -> Finding:
    """A setting may omit the date at the end of a model's name."""
    unknown = [f"{key}={model}" for key, model in wanted.items() if not any(x.startswith(model) for x in names)]
    if names and unknown:
        fix = f"set it to one of: {', '.join(names)}"
        return wrong(f"Claude online: the provider has no model {' and '.join(unknown)}", fix)
    return fine("Claude online: the key is accepted")
