"""Runs hooks in the same way as Claude Code does: the script gets the event's JSON and a transcript."""

import asyncio
import json
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio

from tests.patience import HANGS

PLUGIN = Path(__file__).parents[2] / "plugins" / "claude-code"
SCRIPT = PLUGIN / "scripts" / "tellonce_hook.py"


@dataclass
class Session:
    """One session in a project's folder, with the plugin's data folder next to it."""

    folder: Path
    url: str
    data_dir: Path
    session_id: str = "s1"
    options: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.project.mkdir(parents=True, exist_ok=True)
        self.transcript.touch()

    @property
    def project(self) -> Path:
        return self.folder / "shop"

    @property
    def transcript(self) -> Path:
        return self.folder / f"{self.session_id}.jsonl"

    @property
    def spool(self) -> Path:
        return self.folder / "plugin-data" / "spool"

    async def hook(self, event: str, **fields: Any) -> dict[str, Any] | None:
        """Run a hook and return its output as JSON. It must succeed and print nothing on stderr."""
        if "prompt_id" in fields:
            fields["prompt_id"] = self._unique(fields["prompt_id"])
        given = {"session_id": self.session_id, "transcript_path": str(self.transcript), **fields}
        return json.loads(out) if (out := await self.script(event, given=json.dumps(given))) else None

    async def script(self, *arguments: str, given: str = "") -> str:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-E", "-s", "-S", str(SCRIPT), *arguments),
            env=self._environment(),
            cwd=self.project,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        with anyio.fail_after(HANGS):
            out, errors = await process.communicate(given.encode())
        assert (process.returncode, errors.decode()) == (0, "")
        return out.decode()

    async def turn(
        self,
        prompt_id: str,
        prompt: str,
        reply: str,
        *,
        written: bool = True,
        typed_as_command: bool = False,
        failed: bool = False,
    ) -> dict[str, Any] | None:
        """Run a whole turn and return the output of the prompt's hook. With `written`, the turn is written to the
        transcript before the hook at the end of the turn runs."""
        answer = await self.hook("UserPromptSubmit", prompt_id=prompt_id, prompt=prompt)
        if written:
            self.write(
                prompt_id,
                f"<command-name>{prompt}</command-name>" if typed_as_command else prompt,
                reply,
                failed=failed,
            )
        await self.hook("Stop", prompt_id=prompt_id, last_assistant_message=reply)
        return answer

    def write(self, prompt_id: str, prompt: str, reply: str, *, failed: bool = False) -> None:
        """Write a turn to the transcript as Claude Code does, including tool results and Claude Code's own notes."""
        at = {"timestamp": "2026-02-16T01:15:00.000Z", "isSidechain": False}
        prompt_id = self._unique(prompt_id)
        noise = {"type": "user", "promptId": prompt_id, "message": {"role": "user", "content": [_tool_result()]}, **at}
        rows = (
            {"type": "user", "promptId": prompt_id, "message": {"role": "user", "content": prompt}, **at},
            {"type": "assistant", "message": {"role": "assistant", "content": [_text("Let me look.")]}, **at},
            noise,
            {
                "type": "assistant",
                "message": {"role": "assistant", "content": [_text(reply)]},
                **at,
                "isApiErrorMessage": failed,
            },
            {"type": "user", "isMeta": True, "message": {"role": "user", "content": "meta"}, **at},
            {"type": "assistant", "message": {"role": "assistant", "content": "without a time"}},
            {"type": "assistant", "message": "of another form", **at},
            ["of another form", {"type": "user"}],
        )
        with self.transcript.open("a") as file:
            file.writelines(json.dumps(row, separators=(",", ":")) + "\n" for row in rows)

    def _unique(self, prompt_id: str) -> str:
        """Make a prompt id globally unique, because Claude Code's ids are unique too."""
        return f"{self.session_id}-{prompt_id}"

    def _environment(self) -> dict[str, str]:
        chosen = {f"CLAUDE_PLUGIN_OPTION_{name.upper()}": value for name, value in self.options.items()}
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "CLAUDE_PROJECT_DIR": str(self.project),
            "CLAUDE_PLUGIN_DATA": str(self.folder / "plugin-data"),
            "CLAUDE_PLUGIN_OPTION_URL": self.url,
            "CLAUDE_PLUGIN_OPTION_DATA_FOLDER": str(self.data_dir),
            **chosen,
        }


def added_context(answer: dict[str, Any] | None) -> str:
    """The part of a hook's output that is for the model."""
    return answer["hookSpecificOutput"]["additionalContext"] if answer else ""


def _text(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


def _tool_result() -> dict[str, str]:
    return {"type": "tool_result", "tool_use_id": "t1", "content": "42 rows"}
