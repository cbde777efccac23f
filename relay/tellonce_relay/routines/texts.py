"""The text of a routine: the model's words from memory, a plain list without a model, or a command's output."""

import asyncio
import logging
import re
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from tellonce import contract as c
from tellonce.client import MemoryClient
from tellonce.journal import Emit, silent
from tellonce_llm import LLMError
from tellonce_relay.catalogue import day, phrase
from tellonce_relay.incoming_message import Incoming
from tellonce_relay.responders import prompt as prompts
from tellonce_relay.responders.offline import OfflineResponder
from tellonce_relay.responders.responder import CannotAnswer, Responder
from tellonce_relay.routines.file import Routine
from tellonce_relay.telegram.messages import CHANNEL
from tellonce_relay.turn.tags import parse
from tellonce_text.sentences import split_sentences

logger = logging.getLogger(__name__)

SILENCE = "NOTHING"
"""The model's whole answer if nothing is worth a message."""

PROMPTS = {
    "smart-checkin": "First decide whether a check-in is welcome now: not if the user was talking with you within the last hour, "
    f"if you checked in today already, or if nothing in memory is worth asking about. Then answer only {SILENCE}. Otherwise "
    "write one or two sentences as a friend would in a message: name one open goal or plan of the user's, with what you know "
    "of it, and ask how it is going. No greeting formula, no offer of help, no list.",
    "morning-summary": "Write the user's morning summary: today's dates and deadlines, then the active goals, then what "
    "was left open yesterday. Short lines, no greeting formula.",
    "night-summary": "Write the user's night summary: what was talked about and decided today, and what is open for "
    "tomorrow. Short lines.",
}
QUERIES = {
    "smart-checkin": "open goals, plans and pending actions",
    "morning-summary": "today's appointments, deadlines and goals",
    "night-summary": "what happened today",
}
SOON = timedelta(days=7)
LONGEST_OUTPUT = 60_000


class NothingToSend(Exception):
    """The routine has nothing to send now; the text says why."""


@dataclass(frozen=True)
class Writer:
    """The dependencies of writing a routine. `profile_at` returns the profile text that a chat may see; it is used
    while the memory's profile is empty."""

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
        process = await asyncio.create_subprocess_exec(
            *routine.command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
    except OSError as error:
        program, reason = routine.command[0], error.strerror
        return phrase("routine.cannot_run", name=routine.name, program=program, reason=reason)
    try:
        async with asyncio.timeout(routine.seconds):
            out, errors = await process.communicate()
    except TimeoutError:
        return phrase("routine.too_slow", name=routine.name, seconds=f"{routine.seconds:g}")
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return _said(routine, process.returncode or 0, _decoded(out), _decoded(errors))


def _said(routine: Routine, code: int, out: str, errors: str) -> str:
    if code:
        return f"{phrase('routine.failed', name=routine.name, code=code)}\n{(errors or out)[-1000:]}".strip()
    if not out:
        raise NothingToSend("its command printed nothing")
    return out


def _decoded(output: bytes) -> str:
    """The output as text that the memory accepts: without NUL, and well below 64 KiB."""
    text = output.decode(errors="replace").replace("\x00", "").strip()
    return text.encode()[:LONGEST_OUTPUT].decode(errors="ignore")


async def _written(writer: Writer, routine: Routine, chat_id: int, policy: str, now: datetime) -> str:
    task = routine.prompt or PROMPTS[routine.name]
    args = c.GetContextArgs(chat_id=chat_id, query=QUERIES.get(routine.name, task), detail="sections")
    context = await writer.memory.get_context(args)
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
    profile = await writer.memory.get_profile(c.GetProfileArgs(chat_id=chat_id))
    summary = await writer.memory.summarize_chat(c.SummarizeChatArgs(chat_id=chat_id))
    match routine.name:
        case "morning-summary":
            return morning(profile, now, writer.zone)
        case "night-summary":
            return night(summary, profile)
        case "smart-checkin":
            return checkin(summary, profile, now.astimezone(writer.zone))
        case _:
            raise NothingToSend("no model answers, and this routine has no text without a model")


def morning(profile: c.Profile, now: datetime, zone: ZoneInfo) -> str:
    """The dates of today and the coming week, and open goals. Raises NothingToSend."""
    today = now.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0)
    coming = sorted(
        (m for m in (*profile.dates, *profile.goals) if m.deadline and today <= m.deadline < now + SOON),
        key=lambda m: m.deadline or now,
    )
    here = now.astimezone(zone)
    lines = [f"• {day((m.deadline or now).astimezone(zone), here, weekday=True)}: {m.content}" for m in coming]
    parts = ["\n".join([phrase("routine.this_week"), *lines])] if lines else []
    parts += ["\n".join([phrase("routine.goals"), *(f"• {m.content}" for m in profile.goals)])] if profile.goals else []
    if not parts:
        raise NothingToSend("no dates and no goals are known")
    return "\n\n".join(parts)


def night(summary: c.ChatSummary, profile: c.Profile) -> str:
    """The text of the current session and the open goals. Raises NothingToSend."""
    talk = summary.current_session.text
    parts = [phrase("routine.today_said", text=talk)] if talk else []
    parts += (
        ["\n".join([phrase("routine.open_goals"), *(f"• {m.content}" for m in profile.goals)])] if profile.goals else []
    )
    if not parts:
        raise NothingToSend("nothing was said today and no goal is open")
    return "\n\n".join(parts)


def checkin(summary: c.ChatSummary, profile: c.Profile, now: datetime) -> str:
    """A question about the most urgent goal, once a day. `now` is in the person's time zone. Raises NothingToSend."""
    if any(sent.name == "smart-checkin" for sent in summary.routines_today):
        raise NothingToSend("there was a check-in today")
    goals = sorted(profile.goals, key=lambda m: (m.priority, m.deadline is None, m.deadline or m.valid_from))
    if not goals:
        raise NothingToSend("no goal is known")
    goal = goals[0]
    if goal.deadline is None:
        return phrase("routine.checkin", goal=goal.content)
    due = day(goal.deadline.astimezone(now.tzinfo), now, weekday=True)
    return phrase("routine.checkin_due", goal=goal.content, day=due)


SUMMARY_SECONDS = 8.0
FALLBACK_CHARACTERS = 300
MOST_SENTENCES = 3
ASK = "Summarise this message in two or three plain sentences. Only the summary, no introduction.\n\n{text}"

_CHATTER = re.compile(r"^(?:here(?:'s| is)|certainly|sure|of course|summary:|```|#)", re.IGNORECASE)

Model = Callable[[str], Awaitable[str]]


async def shortened(text: str, model: Model | None, seconds: float = SUMMARY_SECONDS, emit: Emit = silent) -> str:
    """A short form of the text, never longer than the text. Without a usable summary, the short form is the beginning
    of the text. A model that is slow, fails or gives no summary is reported to `emit`."""
    summary = await _asked(text, model, seconds, emit) if model is not None else None
    return summary or text[:FALLBACK_CHARACTERS]


async def _asked(text: str, model: Model, seconds: float, emit: Emit) -> str | None:
    try:
        async with asyncio.timeout(seconds):
            summary = usable(await model(ASK.format(text=text)), text)
    except (LLMError, TimeoutError) as error:
        logger.info("the local model gave no summary: %s", error)
        emit("model_fallback", model="local", to="beginning", reason=type(error).__name__)
        return None
    if summary is None:
        emit("parse_failed", model="local", reason="no summary of the message")
    return summary


def usable(said: str, text: str) -> str | None:
    """At most three sentences of a model's summary. None if the summary is chatter, a prefix of the text, or not
    shorter than the text."""
    summary = " ".join(split_sentences(said)[:MOST_SENTENCES])
    if not summary or _CHATTER.match(summary) or len(summary) >= len(text) or text.startswith(summary):
        return None
    return summary
