"""With --json, every command prints its result as one JSON value, unless the command is stopped."""

import json
import os
from collections.abc import Iterator
from typing import Any

import pytest
from typer.main import get_command

from tellonce_cli.main import app
from tests.chain.home import Home
from tests.stubs.telegram_emulator import telegram

pytestmark = pytest.mark.anyio

ENDLESS = {"up", "serve", "summarizer", "relay", "chat"}
"""These commands run until they are stopped."""

NEED_A_MODEL = {"reembed"}

DURING_UP: tuple[tuple[str, ...], ...] = (
    ("import", "history.jsonl", "--dry-run"),
    ("import", "history.jsonl", "--yes"),
    ("send", "--chat", "42", "--routine", "daily"),
    ("remember", "I live in Porto"),
    ("memories",),
    ("search", "Porto"),
    ("why", "1"),
    ("edit", "1", "--do", "pin"),
    ("forget", "Porto"),
    ("forget", "Porto", "--yes"),
    ("status",),
    ("doctor",),
    ("open",),
    ("open", "--print"),
    ("replay",),
    ("scrub", "--now"),
    ("trace",),
    ("export", "mine.jsonl"),
    ("backup", "all.zip"),
    ("token", "create", "laptop"),
    ("token", "list"),
    ("token", "revoke", "laptop"),
    ("database", "setup"),
    ("connect", "cursor", "--print"),
    ("connect", "cursor"),
    ("connect", "cursor", "--undo"),
    ("service", "install", "--print"),
    ("service", "install"),
    ("service", "status"),
    ("service", "logs"),
    ("service", "uninstall"),
)

AFTERWARDS: tuple[tuple[str, ...], ...] = (
    ("restore", "all.zip", "--force"),
    ("database", "move-user", "42", "43", "--dry-run"),
    ("database", "move-user", "42", "43", "--yes"),
)


def commands(group: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Each command of the parser with its full name."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, (*path, name))
        else:
            yield " ".join((*path, name)), command


def test_every_command_that_ends_by_itself_offers_json_and_is_run_here() -> None:
    found = dict(commands(get_command(app)))
    offered = {name for name, command in found.items() if any("--json" in option.opts for option in command.params)}
    assert offered == set(found) - ENDLESS
    run = {name for name in offered for words in (*DURING_UP, *AFTERWARDS) if " ".join(words).startswith(name)}
    assert run == offered - NEED_A_MODEL


async def test_standard_output_is_one_json_value(light_home: Home) -> None:
    tools = light_home.folder / "bin"
    tools.mkdir()
    for name in ("systemctl", "journalctl"):
        (tools / name).write_text("#!/bin/sh\necho active\n")
        (tools / name).chmod(0o755)
    light_home.environment |= {
        "PATH": f"{tools}:{os.environ['PATH']}",
        "HOME": str(light_home.folder),
        "XDG_CONFIG_HOME": str(light_home.folder / "config"),
        "TELEGRAM_USER_ID": "42",
        "OBSERVABILITY_ENABLED": "1",
    }
    memory = {"type": "memory", "content": "I play the cello"}
    message = {"type": "message", "role": "user", "content": "I sold it", "sent_at": "2025-05-04T10:00:00+02:00"}
    (light_home.folder / "history.jsonl").write_text(f"{json.dumps(memory)}\n{json.dumps(message)}\n")
    async with telegram() as api:
        async with light_home.up():
            light_home.environment |= {"TELEGRAM_BOT_TOKEN": "999:emulated", "TELEGRAM_API_URL": api.url}
            await light_home.run("chat", told="I work as a baker\n")
            found = {words: await _json(light_home, words) for words in DURING_UP}
        found |= {words: await _json(light_home, words) for words in AFTERWARDS}
    imported, foreseen = (found["import", "history.jsonl", how] for how in ("--yes", "--dry-run"))
    assert (imported["created"], imported["memories"]) == (foreseen["messages"], {"kept": 1})
    assert found["service", "status"] == {"exit_code": 0, "output": "active\n"}
    assert found["trace",][0][0]["name"]
    assert found["backup", "all.zip"]["messages"] > 0
    assert found["database", "move-user", "42", "43", "--yes"]["moved"] is True


async def _json(home: Home, words: tuple[str, ...]) -> Any:
    code, out, err = await home._run((*words, "--json"), "The cost is $1." if words[0] == "send" else "")
    assert code == 0, (words, err)
    assert "Next:" not in err, "hints are for people"
    try:
        return json.loads(out)
    except ValueError:
        pytest.fail(f"{' '.join(words)} printed {out!r}")
