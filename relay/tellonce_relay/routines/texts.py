"""The text of a routine: the model's words from memory, a plain list without a model, or a command's output."""

import asyncio
import logging
import re
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from tellonce import contract as c
from tellonce.client import MemoryClient
from tellonce.journal import Emit, silent
from tellonce_llm.child_process import output
from tellonce_llm.errors import LLMError
from tellonce_relay.catalogue import phrase
from tellonce_relay.incoming_message import Incoming
from tellonce_relay.responders import prompt as prompts
from tellonce_relay.responders.offline import OfflineResponder
from tellonce_relay.responders.responder import CannotAnswer, Responder
from tellonce_relay.responders.selection import SUMMARY_SECONDS
from tellonce_relay.routines.built_in_routines import BUILT_IN, SILENCE, NothingToSend
from tellonce_relay.routines.file import Routine
from tellonce_relay.telegram.messages import CHANNEL
from tellonce_relay.turn.tags import parse
from tellonce_text.secrets import mask
from tellonce_text.sentences import split_sentences

logger = logging.getLogger(__name__)

LONGEST_OUTPUT = 60_000
LONGEST_FAILURE = 1000
"""At most this many characters of a failed command's output are shown. They are the last ones."""


@dataclass(frozen=True)
class Writer:
    """`profile_at` returns a chat's profile text, which is used while the memory has no profile."""

    memory: MemoryClient
    responder: Responder
    zone: ZoneInfo
    user_name: str = ""
    profile_at: Callable[[int], str] = lambda chat_id: ""


async def text_of(writer: Writer, routine: Routine, chat_id: int, policy: str, now: datetime) -> str:
    """The text of a routine. Raises NothingToSend, MemoryUnreachable and MemoryRefused."""
    if routine.command:
        return await command_output(routine)
    if isinstance(writer.responder, OfflineResponder):
        return await _listed(writer, routine, chat_id, now)
    return await _written(writer, routine, chat_id, policy, now)


async def command_output(routine: Routine) -> str:
    """The output of the user's program. A failed program is reported, because silence would look like good news."""
    try:
        code, out, errors = await output(routine.command, routine.seconds)
    except TimeoutError:
        return phrase("routine.too_slow", name=routine.name, seconds=f"{routine.seconds:g}")
    except OSError as error:
        program, reason = routine.command[0], error.strerror
        return phrase("routine.cannot_run", name=routine.name, program=program, reason=reason)
    return _said(routine, code, _decoded(out), _decoded(errors))


def _said(routine: Routine, code: int, out: str, errors: str) -> str:
    if code:
        said = mask((errors or out)[-LONGEST_FAILURE:])  # programs often print the key that was refused
        return f"{phrase('routine.failed', name=routine.name, code=code)}\n{said}".strip()
    if not out:
        raise NothingToSend("its command printed nothing")
    return out


def _decoded(output: bytes) -> str:
    """Without NUL characters, invalid bytes and control sequences, and much shorter than 64 KiB."""
    text = _CONTROL.sub("", output.decode(errors="ignore")).replace("\x00", "").strip()
    return text.encode()[:LONGEST_OUTPUT].decode(errors="ignore")


_CONTROL = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_])")
"""Matches a terminal's control sequence: a color, a movement, a window's title."""


async def _written(writer: Writer, routine: Routine, chat_id: int, policy: str, now: datetime) -> str:
    built_in = BUILT_IN.get(routine.name)
    task = routine.prompt or (built_in.prompt if built_in else "")
    query = built_in.query if built_in else task
    context = await writer.memory.get_context(c.GetContextArgs(chat_id=chat_id, query=query, detail="sections"))
    prompt = prompts.build(
        context,
        f"(This is no message of the user's but a task of the schedule, {routine.name}.) {task}",
        policy=policy,
        user_name=writer.user_name,
        now=now,
        zone=writer.zone,
        profile=writer.profile_at(chat_id),
    )
    asked = Incoming(task, chat_id, secrets.token_hex(8), now, CHANNEL, writer.user_name)
    try:
        pieces = [p async for p in writer.responder.answer(prompt, asked, writer.memory) if isinstance(p, str)]
    except CannotAnswer as error:
        logger.info("no model could write the routine %s: %s", routine.name, error)
        return await _listed(writer, routine, chat_id, now)
    text = parse("".join(pieces)).visible
    if not text or text.strip(" .!*").upper() == SILENCE:
        raise NothingToSend("the model found nothing worth a message")
    return text


async def _listed(writer: Writer, routine: Routine, chat_id: int, now: datetime) -> str:
    built_in = BUILT_IN.get(routine.name)
    if built_in is None:
        raise NothingToSend("no model answers, and this routine has no text without a model")
    profile = await writer.memory.get_profile(c.GetProfileArgs(chat_id=chat_id))
    summary = await writer.memory.summarize_chat(c.SummarizeChatArgs(chat_id=chat_id))
    return built_in.listed(profile, summary, now.astimezone(writer.zone))


FALLBACK_CHARACTERS = 300
MOST_SENTENCES = 3
ASK = "Summarise this message in two or three plain sentences. Only the summary, no introduction.\n\n{text}"

_CHATTER = re.compile(r"^(?:here(?:'s| is)|certainly|sure|of course|summary:|```|#)", re.IGNORECASE)

Model = Callable[[str], Awaitable[str]]


async def shortened(text: str, model: Model | None, emit: Emit = silent, seconds: float = SUMMARY_SECONDS) -> str:
    """A summary of the text or, if no model gives one, its beginning."""
    summary = await _asked(text, model, emit, seconds) if model is not None else None
    return summary or text[:FALLBACK_CHARACTERS]


async def _asked(text: str, model: Model, emit: Emit, seconds: float) -> str | None:
    masked = await asyncio.to_thread(mask, text)
    try:
        async with asyncio.timeout(seconds):
            summary = usable(await model(ASK.format(text=masked)), masked)
    except (LLMError, TimeoutError) as error:
        logger.info("the local model gave no summary: %s", error)
        emit("model_fallback", model="local", to="beginning", reason=type(error).__name__)
        return None
    if summary is None:
        emit("parse_failed", model="local", reason="no summary of the message")
    return summary


def usable(said: str, text: str) -> str | None:
    """At most three sentences; None if they are chatter, a prefix of the text, or not shorter than it."""
    summary = " ".join(split_sentences(said)[:MOST_SENTENCES])
    if not summary or _CHATTER.match(summary) or len(summary) >= len(text) or text.startswith(summary):
        return None
    return summary
