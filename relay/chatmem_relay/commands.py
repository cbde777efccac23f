"""The bot's commands: its menu, what it asks before it forgets, and what follows when a button is pressed."""

from dataclasses import dataclass

from chatmem import contract as c
from chatmem import counted
from chatmem.client import MemoryClient
from chatmem_relay import buttons, questions, views
from chatmem_relay.answers import NOTHING_TO_FORGET, Desk, answer, place
from chatmem_relay.chat_surface import ChatSurface
from chatmem_relay.incoming import Incoming, command_of

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
TOPIC_UNKNOWN = "I can't tell any more what this was about. /forget and the topic asks again."


async def run(desk: Desk, surface: ChatSurface, incoming: Incoming) -> None:
    """Carry out a command. Raises MemoryUnreachable, MemoryRefused and NotShown."""
    name, topic = command_of(incoming.text)
    if name == "/forget":
        await _forget(desk, surface, incoming, topic)
    elif (told := await answer(desk, incoming)) is not None:
        await surface.say(told)
    elif (incoming.chat_id or 0) >= 0:
        # In a group it may well be another bot's.
        await surface.say(views.UNKNOWN_COMMAND)


async def _forget(desk: Desk, surface: ChatSurface, incoming: Incoming, topic: str) -> None:
    if not topic:
        await _ask_to_wipe(desk, surface, incoming)
        return
    preview = await desk.memory.forget(c.ForgetArgs(topic=topic, **place(incoming)))
    memories = [match for match in preview.matches if match.kind != "message"]
    messages = len(preview.matches) - len(memories)
    for match in memories[:MOST_MATCHES]:
        await surface.say(match.text, buttons.forget_buttons(match.id))
    if messages or len(memories) > 1 or (preview.confirm is not None and not memories):
        await surface.say(questions.forget_topic(topic, len(memories), messages), buttons.topic_buttons())
    elif not memories:
        await surface.say(NOTHING_TO_FORGET)


async def _ask_to_wipe(desk: Desk, surface: ChatSurface, incoming: Incoming) -> None:
    preview = await desk.memory.forget(c.ForgetArgs(everything=True, **place(incoming)))
    count = sum(match.kind != "message" for match in preview.matches)
    if count:
        await surface.say(f"Erase all {counted.memories(count)} of this chat for good?", buttons.wipe_buttons())
    else:
        await surface.say("There are no memories of this chat; nothing to forget.")


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
            if topic is None:
                return Reaction(TOPIC_UNKNOWN)
            return Reaction(await _erase(memory, c.ForgetArgs(topic=topic, chat_id=chat_id)))
        case "confirm" | "reject":
            args = c.UpdateMemoryArgs(memory_id=press.memory_id, action=press.action, chat_id=chat_id)
            changed = await memory.update_memory(args)
            return Reaction(f"✓ {changed.content}" if press.action == "confirm" else "✗ Not kept")
        case "undo" | "reopen":
            action: c.MemoryAction = "reject" if press.action == "undo" else "reopen"
            await memory.update_memory(c.UpdateMemoryArgs(memory_id=press.memory_id, action=action, chat_id=chat_id))
            return Reaction(views.TAKEN_BACK)
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
