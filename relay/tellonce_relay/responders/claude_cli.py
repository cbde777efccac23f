"""Answers with the `claude` command. The command runs once per turn, and may only call tools that read this memory."""

import asyncio
import json
import os
import re
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from tellonce.client import MemoryClient
from tellonce_llm.child_process import all_but_ours, ended
from tellonce_llm.claude_cli import answer_of, content, private_folder, started
from tellonce_llm.errors import Cause
from tellonce_llm.model import Answer, FileKind, Turn
from tellonce_relay.incoming_message import Incoming
from tellonce_relay.responders.prompt import Prompt
from tellonce_relay.responders.responder import CannotAnswer

SERVER = "memory"
TOOLS = ("search_memory", "get_profile", "explain")
"""The tools for the command. These tools only read. To store something, the command puts a tag into its answer."""

_COMPLAINTS: dict[Cause, re.Pattern[str]] = {
    "billing": re.compile(r"credit balance|API Error: 402|no credit", re.I),
    "key": re.compile(r"API key|/login|API Error: 40[13]|OAuth token", re.I),
    "model": re.compile(r"selected model|API Error: 404", re.I),
    "busy": re.compile(r"API Error: (?:429|503|529)|overloaded|(?:usage|rate) limit", re.I),
}


@dataclass(frozen=True)
class MemoryAccess:
    """The command's access to the memory. Outside its user's private chat, it has no tools."""

    url: str
    token: str
    user_id: int

    def config(self) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {self.token}"}
        return {"mcpServers": {SERVER: {"type": "http", "url": self.url, "headers": headers}}}


class ClaudeCli:
    """Answers with the command. `seconds` is the longest allowed time without output."""

    claims = True

    def __init__(self, command: str, seconds: float, access: MemoryAccess | None) -> None:
        self._command = command
        self._seconds = seconds
        self._access = access

    @property
    def name(self) -> str:
        return f"{Path(self._command).name} -p"

    async def reads(self) -> frozenset[FileKind]:
        """The kinds of files that Claude can read."""
        return frozenset(("image", "pdf", "text"))

    async def answer(self, prompt: Prompt, incoming: Incoming, memory: MemoryClient) -> AsyncIterator[str | Answer]:
        """Yield the answer. Raises CannotAnswer if the command is missing, fails, or is silent for too long."""
        config = self._config_for(incoming)
        system = prompt.system_text + (_place_of(incoming) if config["mcpServers"] else "")
        with private_folder(system, config) as folder, (folder / "errors").open("w+b") as errors:
            process = await self._started(folder, errors, with_files=bool(prompt.files))
            try:
                async for piece in self._pieces(process, _input(prompt), errors):
                    yield piece
            finally:
                await ended(process)

    def _config_for(self, incoming: Incoming) -> dict[str, Any]:
        if self._access is None or incoming.chat_id not in (None, self._access.user_id):
            return {"mcpServers": {}}
        return self._access.config()

    async def _started(self, folder: Path, errors: BinaryIO, *, with_files: bool) -> asyncio.subprocess.Process:
        try:
            own = _arguments(with_files=with_files)
            return await started(self._command, own, folder, all_but_ours(), errors)
        except OSError as error:
            raise CannotAnswer(f"{self._command} cannot be run: {error.strerror}", "model") from error

    async def _pieces(
        self, process: asyncio.subprocess.Process, message: str, errors: BinaryIO
    ) -> AsyncIterator[str | Answer]:
        assert process.stdin is not None  # piped above
        assert process.stdout is not None
        with suppress(ConnectionError):
            process.stdin.write(message.encode())
            await process.stdin.drain()
            process.stdin.close()
        said = ""
        async for event in self._events(process.stdout):
            piece = _break_in(event, said) + _text_in(event)
            said += piece
            if piece:
                yield piece
            if event.get("type") == "result":
                used = _result(event, said)
                if not said:
                    yield used.text
                yield used
                return
        complaint = _complaint(errors)
        raise CannotAnswer(f"{self._command} ended without an answer: {complaint}", _cause(complaint))

    async def _events(self, stream: asyncio.StreamReader) -> AsyncIterator[dict[str, Any]]:
        while True:
            try:
                async with asyncio.timeout(self._seconds):
                    line = await stream.readline()
            except (TimeoutError, ValueError) as error:
                raise CannotAnswer(f"{self._command} sent no output for too long, or a line over 4 MiB") from error
            if not line:
                return
            with suppress(ValueError):
                event = json.loads(line)
                if isinstance(event, dict):
                    yield event


def _input(prompt: Prompt) -> str:
    """The message as plain text. With files, it is one event in the command's own format."""
    if not prompt.files:
        return prompt.asked
    message = {"role": "user", "content": content(Turn("user", prompt.asked, prompt.files))}
    return json.dumps({"type": "user", "message": message}) + "\n"


def _cause(complaint: str) -> Cause:
    found: list[Cause] = [cause for cause, pattern in _COMPLAINTS.items() if pattern.search(complaint)]
    return found[0] if found else "away"


def _arguments(*, with_files: bool) -> list[str]:
    return [
        *("--output-format", "stream-json", "--verbose", "--include-partial-messages"),
        *("--allowedTools", ",".join(f"mcp__{SERVER}__{tool}" for tool in TOOLS)),
        *(("--input-format", "stream-json") if with_files else ()),
    ]


def _place_of(incoming: Incoming) -> str:
    """Without this sentence, the command would search its own conversation."""
    if incoming.chat_id is None:
        return "\n\nCall search_memory with where='all'."
    return f"\n\nCall every memory tool with chat_id {incoming.chat_id}."


def _text_in(event: dict[str, Any]) -> str:
    if event.get("type") != "stream_event":
        return ""
    inner = event.get("event") or {}
    delta = inner.get("delta") or {}
    return str(delta.get("text", "")) if delta.get("type") == "text_delta" else ""


def _break_in(event: dict[str, Any], said: str) -> str:
    """A paragraph break before text that follows a tool call."""
    inner = event.get("event") or {}
    begins = event.get("type") == "stream_event" and inner.get("type") == "message_start"
    return "\n\n" if begins and said.strip() else ""


def _result(event: dict[str, Any], said: str) -> Answer:
    text = str(event.get("result") or "")
    if event.get("is_error") or not (text or said):
        raise CannotAnswer(f"claude: {text or event.get('subtype') or 'no answer'}"[:300], _cause(text))
    seconds = float(event.get("duration_ms") or 0) / 1000
    return answer_of(event, said or text, "claude-cli", seconds, event.get("total_cost_usd"))


def _complaint(errors: BinaryIO) -> str:
    return os.pread(errors.fileno(), 2000, 0).decode(errors="replace").strip() or "it said nothing"
