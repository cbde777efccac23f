"""The bot's commands: each one call of the memory and one view."""

from collections.abc import Awaitable, Callable
from typing import Any

from chatmem import contract as c
from chatmem.client import MemoryClient
from chatmem_relay import buttons, views
from chatmem_relay.chat_surface import ChatSurface
from chatmem_relay.incoming import Incoming

MENU = (
    ("memory", "What I know about you"),
    ("remember", "Keep something for good"),
    ("forget", "Erase something for good"),
    ("summary", "What we talked about"),
    ("new", "Start a new conversation"),
    ("why", "What an answer was based on"),
    ("status", "What is waiting"),
    ("help", "All commands"),
)
MOST_MATCHES = 10


async def run(memory: MemoryClient, surface: ChatSurface, incoming: Incoming) -> bool:
    """Carry out a command; False when the text is none of ours."""
    name, _, rest = incoming.text.partition(" ")
    handler = _HANDLERS.get(name.split("@")[0])
    if handler is None:
        return False
    await handler(memory, surface, incoming, rest.strip())
    return True


def _place(incoming: Incoming) -> dict[str, Any]:
    return {"chat_id": incoming.chat_id, "message_thread_id": incoming.message_thread_id}


async def _memory(memory: MemoryClient, surface: ChatSurface, incoming: Incoming, _: str) -> None:
    await surface.send(views.memory_view(await memory.get_profile(c.GetProfileArgs(**_place(incoming)))))


async def _remember(memory: MemoryClient, surface: ChatSurface, incoming: Incoming, text: str) -> None:
    if not text:
        await surface.send("Say what: /remember I prefer tea")
        return
    stored = await memory.remember(c.RememberArgs(content=text, **_place(incoming)))
    await surface.send(views.remembered_view(stored.memory))


async def _forget(memory: MemoryClient, surface: ChatSurface, incoming: Incoming, topic: str) -> None:
    target = (
        c.ForgetArgs(topic=topic, **_place(incoming)) if topic else c.ForgetArgs(everything=True, **_place(incoming))
    )
    preview = await memory.forget(target)
    matches = [match for match in preview.matches if match.kind != "message"]
    if not topic:
        text = f"Erase all {len(matches)} memories of this chat for good?"
        await surface.send_with_buttons(text, buttons.wipe_buttons())
        return
    if not matches:
        await surface.send("Nothing matches; nothing to forget.")
    for match in matches[:MOST_MATCHES]:
        await surface.send_with_buttons(match.text, buttons.forget_buttons(match))


async def _summary(memory: MemoryClient, surface: ChatSurface, incoming: Incoming, _: str) -> None:
    await surface.send(views.summary_view(await memory.summarize_chat(c.SummarizeChatArgs(**_place(incoming)))))


async def _new(memory: MemoryClient, surface: ChatSurface, incoming: Incoming, _: str) -> None:
    await memory.start_new_chat(c.StartNewChatArgs(**_place(incoming)))
    await surface.send("A new conversation begins; your memories stay.")


async def _why(memory: MemoryClient, surface: ChatSurface, incoming: Incoming, _: str) -> None:
    if incoming.reply_to_message_id is None:
        await surface.send("Reply to one of my answers with /why.")
        return
    about = c.ExplainArgs(message_id=incoming.reply_to_message_id, chat_id=incoming.chat_id)
    await surface.send(views.why_view(await memory.explain(about)))


async def _status(memory: MemoryClient, surface: ChatSurface, incoming: Incoming, _: str) -> None:
    summary = await memory.summarize_chat(c.SummarizeChatArgs(**_place(incoming)))
    await surface.send(views.status_view(summary))


async def _help(_: MemoryClient, surface: ChatSurface, __: Incoming, ___: str) -> None:
    await surface.send(views.HELP)


_HANDLERS: dict[str, Callable[[MemoryClient, ChatSurface, Incoming, str], Awaitable[None]]] = {
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


async def pressed(memory: MemoryClient, chat_id: int, press: buttons.Pressed) -> str:
    """Carry out a button; what the person reads instead of it."""
    match press.action:
        case "forget":
            return await _erase(memory, c.ForgetArgs(memory_ids=(press.memory_id,), chat_id=chat_id))
        case "wipe":
            return await _erase(memory, c.ForgetArgs(everything=True, chat_id=chat_id))
        case "confirm" | "reject":
            args = c.UpdateMemoryArgs(memory_id=press.memory_id, action=press.action, chat_id=chat_id)
            changed = await memory.update_memory(args)
            return f"✓ {changed.content}" if press.action == "confirm" else "✗ Not kept"
        case "keep":
            return "Kept"


async def _erase(memory: MemoryClient, target: c.ForgetArgs) -> str:
    preview = await memory.forget(target)
    if preview.confirm is None:
        return "Nothing left to forget"
    await memory.forget(target.model_copy(update={"confirm": preview.confirm}))
    return "✓ Forgotten"
