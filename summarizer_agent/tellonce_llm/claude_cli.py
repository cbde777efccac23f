"""Asks Claude through the `claude` command, within the user's own subscription. Each call is a short process."""

import asyncio
import base64
import json
import os
import tempfile
import time
from collections.abc import AsyncIterator, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from tellonce.work import Tier
from tellonce_llm.allowance import Allowance
from tellonce_llm.child_process import ended, only_its_own
from tellonce_llm.errors import LLMUnavailable, LLMUnusable
from tellonce_llm.model import Answer, Completion, File, Turn

LINE_BYTES = 4 * 1024 * 1024
_COMPLAINT = 200


class ClaudeCli:
    """Asks `claude -p` without tools, MCP servers or settings, and with our system prompt alone."""

    tier: Tier = "claude-cli"

    def __init__(self, command: str, model: str, allowance: Allowance) -> None:
        self._command = command
        self._model = model
        self._allowance = allowance

    @property
    def name(self) -> str:
        """The command and its model: `claude -p (claude-haiku-4-5)`."""
        return f"{Path(self._command).name} -p ({self._model})"

    async def complete(self, request: Completion) -> Answer:
        """Raises LLMUnavailable if the calls are used up, or if the command fails or takes too long."""
        # Requests with `together` are for learning. All other calls are for summaries. Summaries can wait, so half of
        # the calls are reserved for learning.
        await self._take(1.0 if request.together else 0.5)
        started = time.monotonic()
        with private_folder("\n\n".join(block.text for block in request.system), {"mcpServers": {}}) as folder:
            code, out, errors = await self._ran(request, folder)
        return self._answer(code, out, errors, request, time.monotonic() - started)

    async def stream(self, request: Completion) -> AsyncIterator[str | Answer]:
        """The whole text as one piece, then the Answer."""
        answer = await self.complete(request)
        yield answer.text
        yield answer

    async def _take(self, share: float) -> None:
        try:
            wait = await self._allowance.take(share)
        except (OSError, TimeoutError) as error:
            raise LLMUnavailable(self.name, f"its calls cannot be counted ({type(error).__name__})") from error
        if wait > 0:
            hour, day = int(self._allowance.an_hour * share), int(self._allowance.a_day * share)
            used = f"{hour} calls an hour or {day} a day are used up"
            raise LLMUnavailable(self.name, used, retry_after=wait, this_only=share < 1)

    async def _ran(self, request: Completion, folder: Path) -> tuple[int | None, bytes, bytes]:
        process = await self._started(request, folder)
        try:
            async with asyncio.timeout(request.timeout):
                out, errors = await process.communicate(_asked(request).encode())
        except TimeoutError as error:
            raise LLMUnavailable(self.name, "no answer in time") from error
        finally:
            await ended(process)
        return process.returncode, out, errors

    async def _started(self, request: Completion, folder: Path) -> asyncio.subprocess.Process:
        try:
            own = _arguments(self._model, request.json_schema)
            return await started(self._command, own, folder, only_its_own(), asyncio.subprocess.PIPE)
        except OSError as error:
            raise LLMUnavailable(self.name, f"cannot be run: {error.strerror}") from error

    def _answer(self, code: int | None, out: bytes, errors: bytes, request: Completion, seconds: float) -> Answer:
        result = _result(out)
        if result is None:
            said = "said nothing readable" if out.strip() else "said nothing"
            raise LLMUnavailable(self.name, f"{said} and ended with {code}: {_first_line(errors)}")
        answer = _answered(result, self._model, seconds)
        if result.get("is_error") or code:
            raise LLMUnavailable(self.name, _first_line(answer.text.encode()) or str(result.get("subtype")))
        if not answer.text.strip():
            raise LLMUnusable(self.name, "an empty answer", answer=answer)
        return answer


def _arguments(model: str, schema: Mapping[str, Any] | None) -> list[str]:
    return [
        *("--output-format", "json", "--model", model, "--disable-slash-commands"),
        *(("--json-schema", json.dumps(schema)) if schema is not None else ()),
    ]


async def started(
    command: str, arguments: Sequence[str], folder: Path, env: Mapping[str, str], errors: int | BinaryIO
) -> asyncio.subprocess.Process:
    """Start `claude -p` with the files of `folder` alone, and pipes for input and output. The command line contains
    nothing personal, because other users of the machine can read it. Raises OSError."""
    return await asyncio.create_subprocess_exec(
        *(command, "-p", *arguments, "--mcp-config", str(folder / "mcp.json"), "--strict-mcp-config"),
        *("--tools", "", "--permission-prompts", "none", "--no-session-persistence", "--setting-sources", ""),
        *("--system-prompt-file", str(folder / "system.txt")),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=errors,
        cwd=folder,
        env=env,
        limit=LINE_BYTES,
    )


@contextmanager
def private_folder(system: str, config: Mapping[str, Any]) -> Generator[Path]:
    """A private working folder with the system prompt and the MCP configuration. The folder is removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="tellonce-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        (folder / "mcp.json").write_text(json.dumps(config))
        (folder / "system.txt").write_text(system)
        yield folder


def _asked(request: Completion) -> str:
    return "\n\n".join(turn.content for turn in request.turns)


def _result(out: bytes) -> dict[str, Any] | None:
    with suppress(ValueError):
        found = json.loads(out)
        if isinstance(found, dict) and found.get("type") == "result":
            return found
    return None


def _answered(result: dict[str, Any], model: str, seconds: float) -> Answer:
    structured = result.get("structured_output")
    text = json.dumps(structured, ensure_ascii=False) if structured is not None else str(result.get("result") or "")
    return answer_of(result, text, f"claude -p ({model})", seconds, _price(result.get("total_cost_usd")))


def answer_of(result: Mapping[str, Any], text: str, model: str, seconds: float, price: float | None) -> Answer:
    """The answer with the numbers of tokens that the command reports."""
    usage = result.get("usage") or {}
    return Answer(
        text=text,
        model=model,
        tier="claude-cli",
        input_tokens=int(usage.get("input_tokens") or 0),
        output_tokens=int(usage.get("output_tokens") or 0),
        cache_read_tokens=int(usage.get("cache_read_input_tokens") or 0),
        cache_write_tokens=int(usage.get("cache_creation_input_tokens") or 0),
        seconds=seconds,
        price_usd=price,
    )


def _price(reported: object) -> float:
    """0 within a subscription, although the command reports a list price."""
    by_the_call = os.environ.get("ANTHROPIC_API_KEY") or os.environ.get("ANTHROPIC_AUTH_TOKEN")
    return float(reported) if by_the_call and isinstance(reported, int | float) else 0.0


def _first_line(said: bytes) -> str:
    return said.decode(errors="replace").strip().partition("\n")[0][:_COMPLAINT]


def content(turn: Turn) -> str | list[dict[str, Any]]:
    """A message in the format of the Messages API; files come before the message's text."""
    if not turn.files:
        return turn.content
    return [*(_file_block(file) for file in turn.files), {"type": "text", "text": turn.content}]


def _file_block(file: File) -> dict[str, Any]:
    if file.kind == "text":
        source = {"type": "text", "media_type": "text/plain", "data": file.data.decode(errors="replace")}
        return {"type": "document", "source": source, "title": file.name}
    source = {"type": "base64", "media_type": file.mime, "data": base64.b64encode(file.data).decode()}
    return {"type": "image", "source": source} if file.kind == "image" else {"type": "document", "source": source}
