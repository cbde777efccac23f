"""One turn: record, read, ask, show, record; every way it can fail is one honest sentence, and nothing is lost."""

import logging
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol
from zoneinfo import ZoneInfo

from chatmem import contract as c
from chatmem.client import MemoryClient, MemoryRefused, MemoryUnreachable
from chatmem_relay import prompt as prompts
from chatmem_relay.incoming import Incoming
from chatmem_relay.responders.responder import CannotAnswer, Responder
from chatmem_relay.tags import Tag, parse, shown_so_far

logger = logging.getLogger(__name__)

MEMORY_DOWN = "I can't reach my memory right now, so I won't answer from nothing. Please try again in a minute."
MODEL_DOWN = "I've noted your message, but no language model answers right now. Please ask me again in a minute."
EMPTY = "I have no answer to that."


class Surface(Protocol):
    """Where the person reads: a Telegram chat, a terminal."""

    async def typing(self) -> None: ...

    async def show_partial(self, text: str) -> None: ...

    async def send(self, text: str) -> list[str]:
        """Show a whole text; the channel's ids of the messages it became."""
        ...


@dataclass(frozen=True)
class Manner:
    """How this turn speaks. `policy` is the agent's system prompt; `profile` the fallback for an empty profile."""

    zone: ZoneInfo
    now: Callable[[], datetime]
    policy: str = ""
    profile: str = ""
    agent_id: str | None = None
    emit: Callable[..., None] | None = None


@dataclass(frozen=True)
class Outcome:
    """`answered` is False when the person got a sentence about a failure instead."""

    answered: bool
    text: str
    trace_id: str
    receipt_id: str | None = None
    recorded: bool = False
    tags: tuple[Tag, ...] = ()


async def record_incoming(memory: MemoryClient, incoming: Incoming, trace_id: str) -> c.RecordedMessage:
    """Step one. Only when it is done may the channel forget the message."""
    return await memory.record_message(
        c.RecordMessageArgs(
            role="user",
            content=incoming.text,
            chat_id=incoming.chat_id,
            message_id=incoming.message_id,
            sent_at=incoming.sent_at,
            channel=incoming.channel,
            speaker=incoming.speaker,
            message_thread_id=incoming.message_thread_id,
            reply_to_message_id=incoming.reply_to_message_id,
        ),
        trace_id=trace_id,
    )


async def run_turn(
    memory: MemoryClient, responder: Responder, surface: Surface, incoming: Incoming, manner: Manner
) -> Outcome:
    """Answer one message."""
    trace_id = secrets.token_hex(16)
    try:
        await record_incoming(memory, incoming, trace_id)
    except (MemoryUnreachable, MemoryRefused) as error:
        return await _apologise(surface, MEMORY_DOWN, trace_id, error)
    return await answer(memory, responder, surface, incoming, manner, trace_id)


async def answer(
    memory: MemoryClient, responder: Responder, surface: Surface, incoming: Incoming, manner: Manner, trace_id: str
) -> Outcome:
    """The rest of a turn whose message is recorded."""
    await surface.typing()
    try:
        context = await _context(memory, incoming, trace_id)
    except (MemoryUnreachable, MemoryRefused) as error:
        return await _apologise(surface, MEMORY_DOWN, trace_id, error)
    prompt = prompts.build(
        context,
        incoming.text,
        policy=manner.policy,
        user_name=incoming.user_name,
        now=manner.now(),
        zone=manner.zone,
        profile=manner.profile,
    )
    try:
        text = await _ask(memory, responder, surface, incoming, prompt)
    except CannotAnswer as error:
        _emit(manner, "model_failed", trace_id, reason=str(error))
        return await _apologise(surface, MODEL_DOWN, trace_id, error)
    parsed = parse(text)
    ids = await surface.send(parsed.visible or EMPTY)
    recorded = await _record_answer(memory, incoming, parsed.visible or EMPTY, ids, manner, trace_id)
    await apply_tags(memory, incoming, parsed.tags, trace_id)
    return Outcome(True, parsed.visible or EMPTY, trace_id, context.receipt_id, recorded, parsed.tags)


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


async def _ask(
    memory: MemoryClient, responder: Responder, surface: Surface, incoming: Incoming, prompt: prompts.Prompt
) -> str:
    pieces: list[str] = []
    try:
        async for piece in responder.answer(prompt, incoming, memory):
            pieces.append(piece)
            await surface.show_partial(shown_so_far("".join(pieces)))
    except (MemoryUnreachable, MemoryRefused) as error:
        raise CannotAnswer(str(error)) from error
    return "".join(pieces)


async def _record_answer(
    memory: MemoryClient, incoming: Incoming, text: str, ids: list[str], manner: Manner, trace_id: str
) -> bool:
    args = c.RecordMessageArgs(
        role="assistant",
        content=text,
        chat_id=incoming.chat_id,
        message_id=ids[0] if ids else None,
        sent_at=manner.now(),
        channel=incoming.channel,
        agent_id=manner.agent_id,
        message_thread_id=incoming.message_thread_id,
        reply_to_message_id=incoming.reply_to_message_id,
        exchange_of=incoming.message_id,
    )
    try:
        await memory.record_message(args, trace_id=trace_id)
    except (MemoryUnreachable, MemoryRefused) as error:
        logger.warning("the answer was sent but not recorded: %s", error)
        return False
    return True


async def apply_tags(memory: MemoryClient, incoming: Incoming, tags: tuple[Tag, ...], trace_id: str) -> None:
    """Carry out what the model asked for. A tag that fails is logged; the answer stands."""
    for tag in tags:
        try:
            await _apply(memory, incoming, tag, trace_id)
        except (MemoryUnreachable, MemoryRefused) as error:
            logger.warning("tag %s was not carried out: %s", tag.kind, error)


async def _apply(memory: MemoryClient, incoming: Incoming, tag: Tag, trace_id: str) -> None:
    if tag.kind == "done":
        await _complete(memory, incoming, tag.text, trace_id)
        return
    text = f"{tag.text} (by {tag.deadline})" if tag.deadline else tag.text
    args: dict[str, Any] = {"content": text, "chat_id": incoming.chat_id, "source_message_id": incoming.message_id}
    args |= {"kind": "goal"} if tag.kind == "goal" else {}
    args |= {"scope": "global"} if tag.kind == "remember_global" else {}
    await memory.remember(c.RememberArgs.model_validate(args), trace_id=trace_id)


async def _complete(memory: MemoryClient, incoming: Incoming, topic: str, trace_id: str) -> None:
    found = await memory.search_memory(
        c.SearchMemoryArgs(query=topic, chat_id=incoming.chat_id, kinds=("goal",), limit=1), trace_id=trace_id
    )
    for goal in found.results:
        args = c.UpdateMemoryArgs(memory_id=goal.id, action="complete", chat_id=incoming.chat_id)
        await memory.update_memory(args, trace_id=trace_id)


async def _apologise(surface: Surface, sentence: str, trace_id: str, error: Exception) -> Outcome:
    logger.warning("turn failed: %s", error)
    await surface.send(sentence)
    return Outcome(False, sentence, trace_id)


def _emit(manner: Manner, event: str, trace_id: str, **fields: Any) -> None:
    if manner.emit is not None:
        manner.emit(event, trace_id=trace_id, **fields)
