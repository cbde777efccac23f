"""The bot's commands: the menu, the confirmation before forgetting, and the effects of buttons."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from telegram import InlineKeyboardMarkup

from tellonce import contract as c
from tellonce.client import MemoryClient
from tellonce_relay import buttons, views
from tellonce_relay.buttons import Reply
from tellonce_relay.catalogue import counted, phrase
from tellonce_relay.commands import confirmations, forget_list, memory_browser
from tellonce_relay.commands.answers import CommandContext, answer, place, remembered
from tellonce_relay.commands.forget_list import ForgetLists
from tellonce_relay.incoming import Incoming, command_of
from tellonce_relay.routines import book
from tellonce_relay.turn import reminders

MENU = (
    *("memory", "remember", "reminders", "forget", "summary", "new", "why", "stop", "skip"),
    *("routines", "status", "help"),
)
"""The commands in the order of the menu. The descriptions of the commands are in the catalogue."""


async def run(command_context: CommandContext, lists: ForgetLists, incoming: Incoming) -> Reply | None:
    """Run a command and return its answer. Raises MemoryUnreachable and MemoryRefused."""
    name, topic = command_of(incoming.text)
    if name == "/forget":
        return await _forget(command_context, lists, incoming, topic)
    if name in ("/remind", "/reminders"):
        said = topic if name == "/remind" else ""
        return await reminders.remind(command_context.memory, command_context.zone, incoming, said)
    if name == "/routines":
        return book.listed(command_context.book, incoming.chat_id or 0, incoming.sent_at, command_context.zone)
    if name == "/memory":
        return await _memory(command_context, incoming)
    if name == "/remember" and topic:
        kept = await remembered(command_context, incoming, topic)
        return Reply(views.remembered_view(kept), buttons.undo_buttons(kept.id, reopens=False))
    told = await answer(command_context, incoming)
    if told is None and (incoming.chat_id or 0) >= 0:
        # In a group, an unknown command may be for another bot.
        told = phrase("help.unknown_command")
    return Reply(told) if told is not None else None


async def _memory(command_context: CommandContext, incoming: Incoming) -> Reply:
    """The stored memories or, if there are none, the latest messages."""
    profile = await command_context.memory.get_profile(c.GetProfileArgs(**place(incoming)))
    shown = memory_browser.overview(profile, command_context.zone)
    if memory_browser.is_empty(profile):
        now = (await command_context.memory.summarize_chat(c.SummarizeChatArgs(**place(incoming)))).current_session
        said = [phrase("summary.session", messages=counted("message", now.count), text=now.text)] if now.text else []
        return Reply("\n\n".join([shown.text, *said])[: views.LONGEST], shown.markup)
    return shown


async def _forget(command_context: CommandContext, lists: ForgetLists, incoming: Incoming, topic: str) -> Reply:
    if not topic:
        return await _ask_to_wipe(command_context, incoming)
    target = c.ForgetArgs(topic=topic, **place(incoming))
    preview = await command_context.memory.forget(target)
    shown = forget_list.list_of(topic, target, preview)
    if shown is None:
        return Reply(views.nothing_view(preview))
    return Reply(forget_list.text(shown, command_context.zone), forget_list.markup(lists.add(shown), shown))


async def _ask_to_wipe(command_context: CommandContext, incoming: Incoming) -> Reply:
    preview = await command_context.memory.forget(c.ForgetArgs(everything=True, **place(incoming)))
    count = sum(match.kind != "message" for match in preview.matches)
    if count:
        return Reply(phrase("forget.wipe", n=count), buttons.wipe_buttons())
    return Reply(phrase("forget.wipe_nothing"))


async def reword(memory: MemoryClient, incoming: Incoming, memory_id: int) -> Reply:
    """Replace an uncertain memory with the person's own wording. The new wording makes the memory certain."""
    args = c.UpdateMemoryArgs(memory_id=memory_id, action="edit", content=incoming.text, chat_id=incoming.chat_id)
    return Reply(views.remembered_view(await memory.update_memory(args)))


@dataclass(frozen=True)
class Reaction:
    """The reaction to a button. `text` replaces the message with the button, and `buttons` are its new buttons.
    `question` is a new message that asks the person for a reply.

    `toast` is shown instead of `text` as the button's toast. If `said` is set, it is sent as a new message, and the
    message with the button is not changed.
    """

    text: str
    question: str | None = None
    buttons: InlineKeyboardMarkup | None = None
    toast: str | None = None
    said: str | None = None


@dataclass(frozen=True)
class Counter:
    """The dependencies of the button handlers."""

    memory: MemoryClient
    lists: ForgetLists
    zone: ZoneInfo
    now: Callable[[], datetime]


async def pressed(counter: Counter, chat_id: int, press: buttons.Pressed) -> Reaction:
    """Handle a button. Raises MemoryUnreachable and MemoryRefused."""
    memory = counter.memory
    match press.action:
        case "wipe":
            return Reaction(await _wipe(memory, c.ForgetArgs(everything=True, chat_id=chat_id)))
        case "confirm" | "reject":
            args = c.UpdateMemoryArgs(memory_id=press.number, action=press.action, chat_id=chat_id)
            changed = await memory.update_memory(args)
            return Reaction(
                phrase("memory.confirmed", content=changed.content)
                if press.action == "confirm"
                else phrase("memory.rejected")
            )
        case "undo" | "reopen":
            action: c.MemoryAction = "reject" if press.action == "undo" else "reopen"
            await memory.update_memory(c.UpdateMemoryArgs(memory_id=press.number, action=action, chat_id=chat_id))
            return Reaction(phrase("memory.taken_back"))
        case "edit":
            known = await memory.explain(c.ExplainArgs(memory_id=press.number, chat_id=chat_id))
            return Reaction(known.text, confirmations.right_wording(known.text, press.number))
        case "keep" | "cancel":
            counter.lists.drop(press.number)
            return Reaction(phrase("forget.kept"))
        case "full text":
            said = await book.full_text(memory, chat_id, press.number, counter.now(), counter.zone)
            return Reaction("", toast="", said=said)
        case _ if press.action in buttons.REMINDING:
            return _shown(await reminders.press(memory, chat_id, press, counter.now(), counter.zone))
        case _ if press.action in buttons.BROWSED:
            return _shown(await memory_browser.press(memory, chat_id, press, counter.zone))
        case _:
            return await _pressed_in_list(counter, press)


def _shown(said: Reply) -> Reaction:
    return Reaction(said.text, None, said.markup, None if said.markup is None else "")


async def _pressed_in_list(counter: Counter, press: buttons.Pressed) -> Reaction:
    shown = counter.lists.get(press.number)
    if shown is None:
        return Reaction(phrase("forget.list_gone"))
    if press.action == "erase" and shown.ticked:
        done = await counter.memory.forget(shown.confirmation)
        counter.lists.drop(press.number)
        return Reaction(views.forgotten_view(done, len(shown.confirmation.except_ or ())))
    changed = forget_list.after(shown, press)
    counter.lists.put(press.number, changed)
    toast = phrase("forget.none_ticked") if press.action == "erase" else ""
    return Reaction(forget_list.text(changed, counter.zone), None, forget_list.markup(press.number, changed), toast)


async def _wipe(memory: MemoryClient, target: c.ForgetArgs) -> str:
    preview = await memory.forget(target)
    if preview.confirm is None:
        return phrase("forget.wiped_already")
    return views.forgotten_view(await memory.forget(target.model_copy(update={"confirm": preview.confirm})))
