"""The bot's commands: each one call or two of the memory, and one view."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any

from chatmem import contract as c
from chatmem.client import MemoryClient, MemoryRefused, MemoryUnreachable
from chatmem.work import QueueStatus
from chatmem_relay import buttons, questions, views
from chatmem_relay.chat_surface import ChatSurface
from chatmem_relay.incoming import Incoming
from chatmem_relay.responders.responder import Responder

MENU = (
    ("memory", "What I know about you"),
    ("remember", "Keep something for good"),
    ("forget", "Erase something for good"),
    ("summary", "What we talked about"),
    ("new", "Start a new conversation"),
    ("why", "What an answer was based on"),
    ("status", "What is waiting, and what it cost"),
    ("help", "All commands"),
)
MOST_MATCHES = 10


@dataclass(frozen=True)
class Desk:
    """What answers and commands work with. `queue` tells backlog and cost, where this machine may know them."""

    memory: MemoryClient
    responder: Responder
    zone: tzinfo
    queue: Callable[[], Awaitable[QueueStatus]] | None = None


async def run(desk: Desk, surface: ChatSurface, incoming: Incoming) -> None:
    """Carry out a command. Raises MemoryUnreachable, MemoryRefused and NotShown."""
    name, *rest = incoming.text.split(maxsplit=1)
    handler = _HANDLERS.get(name.partition("@")[0].casefold())
    if handler is not None:
        await handler(desk, surface, incoming, "".join(rest).strip())
    elif (incoming.chat_id or 0) >= 0:
        # In a group it may well be another bot's.
        await surface.say(views.UNKNOWN_COMMAND)


def _place(incoming: Incoming) -> dict[str, Any]:
    return {"chat_id": incoming.chat_id, "message_thread_id": incoming.message_thread_id}


async def _memory(desk: Desk, surface: ChatSurface, incoming: Incoming, _: str) -> None:
    profile = await desk.memory.get_profile(c.GetProfileArgs(**_place(incoming)))
    await surface.say(views.memory_view(profile, desk.zone))


async def _remember(desk: Desk, surface: ChatSurface, incoming: Incoming, text: str) -> None:
    if not text:
        await surface.say("Say what: /remember I prefer tea")
        return
    stored = await desk.memory.remember(c.RememberArgs(content=text, **_place(incoming)))
    await surface.say(views.remembered_view(stored.memory))


async def _forget(desk: Desk, surface: ChatSurface, incoming: Incoming, topic: str) -> None:
    if not topic:
        await _ask_to_wipe(desk, surface, incoming)
        return
    preview = await desk.memory.forget(c.ForgetArgs(topic=topic, **_place(incoming)))
    memories = [match for match in preview.matches if match.kind != "message"]
    messages = len(preview.matches) - len(memories)
    for match in memories[:MOST_MATCHES]:
        await surface.say(match.text, buttons.forget_buttons(match.id))
    if messages or len(memories) > 1 or (preview.confirm is not None and not memories):
        await surface.say(questions.forget_topic(topic, len(memories), messages), buttons.topic_buttons())
    elif not memories:
        await surface.say("Nothing matches; nothing to forget.")


async def _ask_to_wipe(desk: Desk, surface: ChatSurface, incoming: Incoming) -> None:
    preview = await desk.memory.forget(c.ForgetArgs(everything=True, **_place(incoming)))
    count = sum(match.kind != "message" for match in preview.matches)
    if count:
        await surface.say(f"Erase all {count} memories of this chat for good?", buttons.wipe_buttons())
    else:
        await surface.say("There are no memories of this chat; nothing to forget.")


async def _summary(desk: Desk, surface: ChatSurface, incoming: Incoming, _: str) -> None:
    summary = await desk.memory.summarize_chat(c.SummarizeChatArgs(**_place(incoming)))
    await surface.say(views.summary_view(summary))


async def _new(desk: Desk, surface: ChatSurface, incoming: Incoming, _: str) -> None:
    await desk.memory.start_new_chat(c.StartNewChatArgs(**_place(incoming)))
    await surface.say("A new conversation begins; your memories stay.")


async def _why(desk: Desk, surface: ChatSurface, incoming: Incoming, _: str) -> None:
    if incoming.reply_to_message_id is None or incoming.chat_id is None:
        await surface.say("Reply to one of my answers with /why.")
        return
    chat = incoming.chat_id
    try:
        answer = await desk.memory.explain(c.ExplainArgs(message_id=incoming.reply_to_message_id, chat_id=chat))
    except MemoryRefused:
        await surface.say(views.NO_RECORD)
        return
    receipt_id = next(reversed(answer.receipts), None)
    about = c.ExplainArgs(receipt_id=receipt_id, chat_id=chat) if receipt_id is not None else None
    await surface.say(views.why_view(answer, await desk.memory.explain(about) if about is not None else None))


async def _status(desk: Desk, surface: ChatSurface, incoming: Incoming, _: str) -> None:
    summary = await desk.memory.summarize_chat(c.SummarizeChatArgs(**_place(incoming)))
    # What the models cost is the owner's business, not a group's.
    queue = await _queue(desk) if (incoming.chat_id or 0) >= 0 else None
    await surface.say(views.status_view(summary, queue, desk.responder.name))


async def _queue(desk: Desk) -> QueueStatus | None:
    """Only a machine that has the agent's token may know."""
    try:
        return await desk.queue() if desk.queue is not None else None
    except (MemoryUnreachable, MemoryRefused):
        return None


async def _help(_: Desk, surface: ChatSurface, __: Incoming, ___: str) -> None:
    await surface.say(views.HELP)


_HANDLERS: dict[str, Callable[[Desk, ChatSurface, Incoming, str], Awaitable[None]]] = {
    "/memory": _memory,
    "/remember": _remember,
    "/forget": _forget,
    "/summary": _summary,
    "/new": _new,
    "/why": _why,
    "/status": _status,
    "/help": _help,
    "/start": _help,
}


async def reword(memory: MemoryClient, surface: ChatSurface, incoming: Incoming, memory_id: int) -> None:
    """The person's own wording makes an uncertain memory certain."""
    args = c.UpdateMemoryArgs(memory_id=memory_id, action="edit", content=incoming.text, chat_id=incoming.chat_id)
    await surface.say(views.remembered_view(await memory.update_memory(args)))


@dataclass(frozen=True)
class Reaction:
    """To a button: what the person reads instead of its message, and what they are asked to reply to, if anything."""

    text: str
    question: str | None = None


async def pressed(memory: MemoryClient, chat_id: int, press: buttons.Pressed, shown: str) -> Reaction:
    """Carry out a button; `shown` is the text it stood under."""
    match press.action:
        case "forget":
            return Reaction(await _erase(memory, c.ForgetArgs(memory_ids=(press.memory_id,), chat_id=chat_id)))
        case "wipe":
            return Reaction(await _erase(memory, c.ForgetArgs(everything=True, chat_id=chat_id)))
        case "topic":
            topic = questions.topic_of(shown)
            return Reaction(await _erase(memory, c.ForgetArgs(topic=topic, chat_id=chat_id)) if topic else "Kept")
        case "confirm" | "reject":
            args = c.UpdateMemoryArgs(memory_id=press.memory_id, action=press.action, chat_id=chat_id)
            changed = await memory.update_memory(args)
            return Reaction(f"✓ {changed.content}" if press.action == "confirm" else "✗ Not kept")
        case "edit":
            known = await memory.explain(c.ExplainArgs(memory_id=press.memory_id, chat_id=chat_id))
            return Reaction(known.text, questions.right_wording(known.text, press.memory_id))
        case "keep":
            return Reaction("Kept")


async def _erase(memory: MemoryClient, target: c.ForgetArgs) -> str:
    preview = await memory.forget(target)
    if preview.confirm is None:
        return "Nothing left to forget"
    await memory.forget(target.model_copy(update={"confirm": preview.confirm}))
    return "✓ Forgotten"
