"""Answers the commands that the bot and the terminal share. Each answer needs one or two calls of the memory and one
view."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Final
from zoneinfo import ZoneInfo

from tellonce import contract as c
from tellonce.client import MemoryClient, MemoryRefused, MemoryUnreachable
from tellonce.work import QueueStatus
from tellonce_relay import views
from tellonce_relay.catalogue import phrase
from tellonce_relay.commands.confirmations import grounds
from tellonce_relay.commands.forget_list import ForgetLists
from tellonce_relay.commands.why_view import why_view
from tellonce_relay.incoming_message import Incoming, command_of
from tellonce_relay.responders.offline import OfflineResponder
from tellonce_relay.responders.responder import Responder
from tellonce_relay.routines.file import Routine

_NOTES_READ = 50
"""`/memory` reads this many of the newest notes. From these notes, it lists the ones that only a search finds."""


@dataclass(frozen=True)
class CommandContext:
    """What commands and buttons use. `queue` is None if this machine does not have the agent's token."""

    memory: MemoryClient
    responder: Responder
    zone: ZoneInfo
    queue: Callable[[], Awaitable[QueueStatus]] | None = None
    routines: tuple[Routine, ...] = ()
    lists: ForgetLists = field(default_factory=ForgetLists)
    invalid_routines: tuple[str, ...] = ()


async def answer(context: CommandContext, incoming: Incoming) -> str | None:
    """None for a command of another module. Raises MemoryUnreachable and MemoryRefused."""
    name, text = command_of(incoming.text)
    text_answer = TEXT_ANSWERS.get(name.removeprefix("/"))
    return await text_answer(context, incoming, text) if text_answer is not None else None


async def _memory(context: CommandContext, incoming: Incoming, _: str) -> str:
    """The notes that only a search finds are listed here, because this view has no button for them."""
    profile = await context.memory.get_profile(c.GetProfileArgs(**incoming.place))
    searched = await _only_searched(context, incoming) if profile.only_searched else ()
    return views.memory_view(profile, context.zone, searched=searched, now=incoming.sent_at)


async def _only_searched(context: CommandContext, incoming: Incoming) -> tuple[c.Memory, ...]:
    args = c.GetProfileArgs(kinds=("note",), limit=_NOTES_READ, **incoming.place)
    lists = (await context.memory.get_profile(args)).lists.values()
    found = {m.id: m for entries in lists for m in entries if not m.shown}
    return tuple(sorted(found.values(), key=lambda m: (m.valid_from, m.id), reverse=True)[: views.SHOWN])


async def _remember(context: CommandContext, incoming: Incoming, text: str) -> str:
    if not text:
        return phrase("memory.remember_what")
    return views.remembered_view(await store_statement(context, incoming, text))


async def store_statement(context: CommandContext, incoming: Incoming, text: str) -> c.Memory:
    """Store the person's own words. Raises MemoryUnreachable and MemoryRefused."""
    stored = (await context.memory.remember(c.RememberArgs(content=text, **incoming.place))).memory
    assert stored is not None  # one statement was sent
    return stored


async def _summary(context: CommandContext, incoming: Incoming, _: str) -> str:
    return views.summary_view(await context.memory.summarize_chat(c.SummarizeChatArgs(**incoming.place)))


async def _new(context: CommandContext, incoming: Incoming, _: str) -> str:
    await context.memory.start_new_chat(c.StartNewChatArgs(**incoming.place))
    return phrase("summary.new_chat")


async def _why(context: CommandContext, incoming: Incoming, _: str) -> str:
    if incoming.reply_to_message_id is None:
        return phrase("why.reply_first")
    chat = incoming.chat_id
    try:
        message = await context.memory.explain(c.ExplainArgs(message_id=incoming.reply_to_message_id, chat_id=chat))
    except MemoryRefused:
        return await _why_memory(context, incoming) or phrase("why.no_record")
    receipt_id = None if incoming.quotes_person else next(reversed(message.receipts), None)
    if receipt_id is None:
        return why_view(message, said=incoming.quotes_person)
    return why_view(message, await context.memory.explain(c.ExplainArgs(receipt_id=receipt_id, chat_id=chat)))


async def _why_memory(context: CommandContext, incoming: Incoming) -> str:
    """Explain the memory to which a message of the bot refers, such as the confirmation of a reminder."""
    if incoming.quoted_memory is None:
        return ""
    try:
        known = await context.memory.explain(c.ExplainArgs(memory_id=incoming.quoted_memory, chat_id=incoming.chat_id))
    except MemoryRefused:
        return ""
    assert known.memory is not None  # never None, because the request names a memory
    since = phrase("memory.since", day=views.long_day(known.memory.valid_from.astimezone(context.zone)))
    shown = phrase("memory.one", content=views.dated(known.memory, context.zone, incoming.sent_at), since=since)
    return "\n".join([shown, *grounds(known)])


async def _status(context: CommandContext, incoming: Incoming, _: str) -> str:
    summary = await context.memory.summarize_chat(c.SummarizeChatArgs(**incoming.place))
    # The cost of the models is shown to the owner, not to a group.
    queue = await _queue(context) if (incoming.chat_id or 0) >= 0 else None
    who = phrase("status.from_memory") if isinstance(context.responder, OfflineResponder) else context.responder.name
    return views.status_view(summary, queue, who, context.zone)


async def _queue(context: CommandContext) -> QueueStatus | None:
    try:
        return await context.queue() if context.queue is not None else None
    except (MemoryUnreachable, MemoryRefused):
        return None


async def _help(_: CommandContext, __: Incoming, ___: str) -> str:
    return phrase("help.text")


async def _start(_: CommandContext, incoming: Incoming, __: str) -> str:
    return phrase("start.greeting", name=incoming.user_name) if incoming.user_name else phrase("start.greeting_unnamed")


TEXT_ANSWERS: Final[Mapping[str, Callable[[CommandContext, Incoming, str], Awaitable[str]]]] = {
    "memory": _memory,
    "remember": _remember,
    "summary": _summary,
    "new": _new,
    "why": _why,
    "status": _status,
    "help": _help,
    "start": _start,
}
"""The functions of the commands that are answered without buttons. Each function gets the text after the command."""
