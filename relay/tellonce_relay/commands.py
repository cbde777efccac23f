"""The bot's commands: its menu, what it asks before it forgets, and what follows when a button is pressed."""

from dataclasses import dataclass
from datetime import tzinfo

from telegram import InlineKeyboardMarkup

from tellonce import contract as c
from tellonce import counted
from tellonce.client import MemoryClient
from tellonce_relay import buttons, forget_list, questions, views
from tellonce_relay.answers import Desk, answer, place
from tellonce_relay.chat_surface import ChatSurface
from tellonce_relay.forget_list import ForgetLists
from tellonce_relay.incoming import Incoming, command_of

MENU = (
    ("memory", "What I know about you"),
    ("remember", "Keep something for good"),
    ("forget", "Erase something for good"),
    ("summary", "What we talked about"),
    ("new", "Start a new conversation"),
    ("why", "What an answer was based on"),
    ("stop", "End the answer I am writing"),
    ("skip", "Drop a question I still owe an answer"),
    ("status", "What is waiting, and what it cost"),
    ("help", "All commands"),
)
LIST_UNKNOWN = "I can't tell any more what this was about. /forget and the topic asks again."
NOTHING_TICKED = "Nothing is ticked."


async def run(desk: Desk, lists: ForgetLists, surface: ChatSurface, incoming: Incoming) -> None:
    """Carry out a command. Raises MemoryUnreachable, MemoryRefused and NotShown."""
    name, topic = command_of(incoming.text)
    if name == "/forget":
        await _forget(desk, lists, surface, incoming, topic)
    elif (told := await answer(desk, incoming)) is not None:
        await surface.say(told)
    elif (incoming.chat_id or 0) >= 0:
        # In a group it may well be another bot's.
        await surface.say(views.UNKNOWN_COMMAND)


async def _forget(desk: Desk, lists: ForgetLists, surface: ChatSurface, incoming: Incoming, topic: str) -> None:
    if not topic:
        await _ask_to_wipe(desk, surface, incoming)
        return
    target = c.ForgetArgs(topic=topic, **place(incoming))
    shown = forget_list.list_of(topic, target, await desk.memory.forget(target))
    if shown is None:
        await surface.say(views.NOTHING_TO_FORGET)
    else:
        await surface.say(forget_list.text(shown, desk.zone), forget_list.markup(lists.add(shown), shown))


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
    """To a button: what the person reads instead of its message, and what they are asked to reply to, if anything.

    `buttons`: the message lives on with these; `toast`: what flashes up, if not the text.
    """

    text: str
    question: str | None = None
    buttons: InlineKeyboardMarkup | None = None
    toast: str | None = None


@dataclass(frozen=True)
class Counter:
    """What buttons work with."""

    memory: MemoryClient
    lists: ForgetLists
    zone: tzinfo


async def pressed(counter: Counter, chat_id: int, press: buttons.Pressed) -> Reaction:
    """Carry out a button. Raises MemoryUnreachable and MemoryRefused."""
    memory = counter.memory
    match press.action:
        case "wipe":
            return Reaction(await _wipe(memory, c.ForgetArgs(everything=True, chat_id=chat_id)))
        case "confirm" | "reject":
            args = c.UpdateMemoryArgs(memory_id=press.number, action=press.action, chat_id=chat_id)
            changed = await memory.update_memory(args)
            return Reaction(f"✓ {changed.content}" if press.action == "confirm" else "✗ Not kept")
        case "undo" | "reopen":
            action: c.MemoryAction = "reject" if press.action == "undo" else "reopen"
            await memory.update_memory(c.UpdateMemoryArgs(memory_id=press.number, action=action, chat_id=chat_id))
            return Reaction(views.TAKEN_BACK)
        case "edit":
            known = await memory.explain(c.ExplainArgs(memory_id=press.number, chat_id=chat_id))
            return Reaction(known.text, questions.right_wording(known.text, press.number))
        case "keep" | "cancel":
            counter.lists.drop(press.number)
            return Reaction("Kept")
        case _:
            return await _pressed_in_list(counter, press)


async def _pressed_in_list(counter: Counter, press: buttons.Pressed) -> Reaction:
    shown = counter.lists.get(press.number)
    if shown is None:
        return Reaction(LIST_UNKNOWN)
    if press.action == "erase" and shown.ticked:
        done = await counter.memory.forget(shown.confirmation)
        counter.lists.drop(press.number)
        return Reaction(views.forgotten_view(done))
    changed = forget_list.after(shown, press)
    counter.lists.put(press.number, changed)
    toast = NOTHING_TICKED if press.action == "erase" else ""
    return Reaction(forget_list.text(changed, counter.zone), None, forget_list.markup(press.number, changed), toast)


async def _wipe(memory: MemoryClient, target: c.ForgetArgs) -> str:
    preview = await memory.forget(target)
    if preview.confirm is None:
        return "Nothing left to forget"
    return views.forgotten_view(await memory.forget(target.model_copy(update={"confirm": preview.confirm})))
