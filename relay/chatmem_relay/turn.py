"""One turn: record, read, ask, show, record; every way it can fail is one honest sentence, and nothing is lost."""

import logging
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from zoneinfo import ZoneInfo

from chatmem import contract as c
from chatmem.client import MemoryClient, MemoryRefused, MemoryUnreachable
from chatmem_llm import Answer
from chatmem_relay import prompt as prompts
from chatmem_relay import tagging
from chatmem_relay.asking import expected
from chatmem_relay.events import Emit, silent
from chatmem_relay.incoming import Incoming
from chatmem_relay.patience import patiently
from chatmem_relay.responders.responder import CannotAnswer, Responder
from chatmem_relay.tags import Tag, parse, shown_so_far

logger = logging.getLogger(__name__)

MEMORY_DOWN = "I can't reach my memory right now, so I won't answer from nothing. Please try again in a minute."
MODEL_DOWN = "I've noted your message, but no language model answers right now. Please ask me again in a minute."
REFUSED = "My memory did not take that message: {reason}"
NOTED = "✓ Noted."
EMPTY = "I have no answer to that."
NOT_SAVED = "I could not save that to my memory just now; please tell me again later."


class NotShown(Exception):
    """The person could not be shown the text; the reason is for the log."""


class Surface(Protocol):
    """Where the person reads: a Telegram chat, a terminal."""

    async def typing(self) -> None:
        """Show that an answer is on its way, until `send`."""
        ...

    async def show_partial(self, text: str) -> None:
        """Show what there is of the answer so far. Never raises."""
        ...

    async def send(self, text: str) -> list[str]:
        """Show a whole text; the channel's ids of the messages it became. Raises NotShown."""
        ...


@dataclass(frozen=True)
class Manner:
    """How this turn speaks. `policy` is the agent's system prompt; `profile` the fallback for an empty profile."""

    zone: ZoneInfo
    now: Callable[[], datetime]
    policy: str = ""
    profile: str = ""
    agent_id: str | None = None
    emit: Emit | None = None


@dataclass(frozen=True)
class Outcome:
    """`answered` is False when the person got a sentence about a failure instead.

    `notices` are the memory's own for the person (the chat is full); the caller shows each of them once.
    """

    answered: bool
    text: str
    trace_id: str
    receipt_id: str | None = None
    recorded: bool = False
    tags: tuple[Tag, ...] = ()
    message_ids: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()


async def run_turn(
    memory: MemoryClient, responder: Responder, surface: Surface, incoming: Incoming, manner: Manner
) -> Outcome:
    """Answer one message."""
    trace_id = secrets.token_hex(16)
    try:
        await record_incoming(memory, incoming, trace_id)
    except MemoryUnreachable as error:
        return await _apologise(surface, MEMORY_DOWN, trace_id, error, manner)
    except MemoryRefused as error:
        return await _apologise(surface, REFUSED.format(reason=error), trace_id, error, manner)
    return await answer(memory, responder, surface, incoming, manner, trace_id)


async def record_incoming(memory: MemoryClient, incoming: Incoming, trace_id: str) -> c.RecordedMessage:
    """Step one. Only when it is done may the channel forget the message."""
    args = c.RecordMessageArgs(
        role="user",
        content=incoming.text,
        chat_id=incoming.chat_id,
        message_id=incoming.message_id,
        sent_at=incoming.sent_at,
        channel=incoming.channel,
        speaker=incoming.speaker,
        message_thread_id=incoming.message_thread_id,
        reply_to_message_id=incoming.reply_to_message_id,
    )
    return await memory.record_message(args, trace_id=trace_id)


async def answer(
    memory: MemoryClient, responder: Responder, surface: Surface, incoming: Incoming, manner: Manner, trace_id: str
) -> Outcome:
    """The rest of a turn whose message is recorded."""
    await surface.typing()
    try:
        context = await patiently(lambda: _context(memory, incoming, trace_id), (0.2, 0.5, 1.0))
        text = await _ask(memory, responder, surface, incoming, _prompt(context, incoming, manner), manner, trace_id)
    except (MemoryUnreachable, MemoryRefused) as error:
        return await _apologise(surface, MEMORY_DOWN, trace_id, error, manner)
    except CannotAnswer as error:
        return await _apologise(surface, MODEL_DOWN, trace_id, error, manner)
    parsed = parse(text)
    visible = parsed.visible or (NOTED if parsed.tags else EMPTY)
    try:
        ids = await surface.send(visible)
    except NotShown as error:
        return _unheard(visible, trace_id, error, manner)
    recorded = await record_answer(memory, incoming, visible, ids, manner, trace_id)
    await _carry_out(memory, surface, incoming, parsed.tags, manner, trace_id)
    return Outcome(
        True, visible, trace_id, context.receipt_id, recorded, parsed.tags, tuple(ids), tuple(context.notices)
    )


async def record_answer(
    memory: MemoryClient, incoming: Incoming, text: str, ids: list[str], manner: Manner, trace_id: str
) -> bool:
    """Record what the person was shown; waits for a memory that is away. False when it stayed away."""
    args = c.RecordMessageArgs(
        role="assistant",
        content=text,
        chat_id=incoming.chat_id,
        message_id=ids[0] if ids else None,
        sent_at=manner.now().astimezone(manner.zone),
        channel=incoming.channel,
        agent_id=manner.agent_id,
        message_thread_id=incoming.message_thread_id,
        reply_to_message_id=incoming.reply_to_message_id,
        exchange_of=incoming.message_id,
        expects=expected(text),
    )
    try:
        await patiently(lambda: memory.record_message(args, trace_id=trace_id))
    except (MemoryUnreachable, MemoryRefused) as error:
        logger.warning("the answer was sent but not recorded: %s", error)
        _emit(manner)("answer_unrecorded", trace_id=trace_id, reason=str(error))
        return False
    return True


async def _context(memory: MemoryClient, incoming: Incoming, trace_id: str) -> c.Context:
    args = c.GetContextArgs(
        chat_id=incoming.chat_id,
        message_thread_id=incoming.message_thread_id,
        reply_to_message_id=incoming.reply_to_message_id,
        query=incoming.text,
        exclude_message_id=incoming.message_id,
        detail="sections",
    )
    return await memory.get_context(args, trace_id=trace_id)


def _prompt(context: c.Context, incoming: Incoming, manner: Manner) -> prompts.Prompt:
    return prompts.build(
        context,
        incoming.text,
        policy=manner.policy,
        user_name=incoming.user_name,
        now=manner.now(),
        zone=manner.zone,
        profile=manner.profile,
    )


async def _ask(
    memory: MemoryClient,
    responder: Responder,
    surface: Surface,
    incoming: Incoming,
    prompt: prompts.Prompt,
    manner: Manner,
    trace_id: str,
) -> str:
    pieces: list[str] = []
    used: Answer | None = None
    started = time.monotonic()
    _emit(manner)("model_start", trace_id=trace_id, model=responder.name)
    async for piece in responder.answer(prompt, incoming, memory):
        if isinstance(piece, Answer):
            used = piece
            continue
        pieces.append(piece)
        await surface.show_partial(shown_so_far("".join(pieces)))
    seconds = round(time.monotonic() - started, 3)
    _emit(manner)("model_complete", trace_id=trace_id, seconds=seconds, **_usage(responder, used))
    return "".join(pieces)


def _usage(responder: Responder, used: Answer | None) -> dict[str, object]:
    if used is None:
        return {"model": responder.name}
    return {
        "model": used.model,
        "input_tokens": used.input_tokens,
        "output_tokens": used.output_tokens,
        "cache_read_tokens": used.cache_read_tokens,
        "price_usd": used.price_usd,
    }


async def _carry_out(
    memory: MemoryClient,
    surface: Surface,
    incoming: Incoming,
    tags: tuple[Tag, ...],
    manner: Manner,
    trace_id: str,
) -> None:
    if not tags:
        return
    done = await tagging.apply(memory, incoming, tags, trace_id)
    _emit(manner)("tags_applied", trace_id=trace_id, **done.counts())
    if done.unsaved:
        await _say(surface, NOT_SAVED)


async def _apologise(surface: Surface, sentence: str, trace_id: str, error: Exception, manner: Manner) -> Outcome:
    logger.warning("turn failed: %s", error)
    _emit(manner)("turn_failed", trace_id=trace_id, reason=str(error))
    await _say(surface, sentence)
    return Outcome(False, sentence, trace_id)


async def _say(surface: Surface, sentence: str) -> None:
    try:
        await surface.send(sentence)
    except NotShown as error:
        logger.warning("the person could not be told: %s", error)


def _unheard(text: str, trace_id: str, error: NotShown, manner: Manner) -> Outcome:
    logger.warning("the answer could not be shown: %s", error)
    _emit(manner)("answer_not_shown", trace_id=trace_id, reason=str(error))
    return Outcome(False, text, trace_id)


def _emit(manner: Manner) -> Emit:
    return manner.emit or silent
