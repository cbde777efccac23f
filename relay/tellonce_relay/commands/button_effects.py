"""The effects of the bot's buttons."""

from dataclasses import dataclass
from datetime import datetime

from telegram import InlineKeyboardMarkup

from tellonce import contract as c
from tellonce.client import MemoryClient
from tellonce_relay import buttons, views
from tellonce_relay.buttons import Reply
from tellonce_relay.catalogue import phrase
from tellonce_relay.commands import confirmations, forget_list, memory_browser
from tellonce_relay.commands.answers import CommandContext
from tellonce_relay.routines import routine_list
from tellonce_relay.turn import reminder_offers, reminders


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


async def pressed(context: CommandContext, chat_id: int, press: buttons.Pressed, now: datetime) -> Reaction:
    """Handle a button. Raises MemoryUnreachable and MemoryRefused."""
    memory = context.memory
    match press.action:
        case "wipe":
            return Reaction(await _wipe(memory, c.ForgetArgs(everything=True, chat_id=chat_id)))
        case "confirm" | "reject":
            args = c.UpdateMemoryArgs(memory_id=press.number, action=press.action, chat_id=chat_id)
            changed = await memory.update_memory(args)
            if press.action == "confirm":
                return Reaction(phrase("memory.confirmed", content=views.in_days(changed.content)))
            over = changed.status == "completed"  # an overdue goal is not wrong, but no longer a goal
            return Reaction(
                phrase("memory.closed", content=views.in_days(changed.content)) if over else phrase("memory.rejected")
            )
        case "undo" | "reopen":
            action: c.MemoryAction = "reject" if press.action == "undo" else "reopen"
            await memory.update_memory(c.UpdateMemoryArgs(memory_id=press.number, action=action, chat_id=chat_id))
            return Reaction(phrase("memory.taken_back"))
        case "close":
            closing = c.UpdateMemoryArgs(memory_id=press.number, action="complete", chat_id=chat_id)
            closed = await memory.update_memory(closing)
            return Reaction(views.saved_view(closed), buttons=buttons.undo_buttons(closed.id, reopens=True), toast="")
        case "edit":
            known = await memory.explain(c.ExplainArgs(memory_id=press.number, chat_id=chat_id))
            return Reaction(known.text, confirmations.right_wording(known.text, press.number))
        case "keep" | "cancel":
            context.lists.drop(press.number)
            return Reaction(phrase("forget.kept"))
        case "full text":
            said = await routine_list.full_text(memory, chat_id, press.number, now, context.zone)
            return Reaction("", toast="", said=said)
        case "unremind" | "remind again" | "later" | "done":
            return _shown(await reminders.press(memory, chat_id, press, now, context.zone))
        case "remind of":
            return _shown(await reminder_offers.accept(memory, chat_id, press, now, context.zone))
        case "tab" | "open" | "remove" | "restore" | "pin" | "unpin":
            return _shown(await memory_browser.press(memory, chat_id, press, context.zone))
        case _:
            return await _pressed_in_list(context, press)


def _shown(said: Reply) -> Reaction:
    return Reaction(said.text, None, said.markup, None if said.markup is None else "")


async def _pressed_in_list(context: CommandContext, press: buttons.Pressed) -> Reaction:
    shown = context.lists.get(press.number)
    if shown is None:
        return Reaction(phrase("forget.list_gone"))
    if press.action == "erase" and shown.ticked:
        done = await context.memory.forget(shown.confirmation)
        context.lists.drop(press.number)
        return Reaction(views.forgotten_view(done, len(shown.confirmation.except_ or ())))
    changed = forget_list.after(shown, press)
    context.lists.put(press.number, changed)
    toast = phrase("forget.none_ticked") if press.action == "erase" else ""
    return Reaction(forget_list.text(changed, context.zone), None, forget_list.markup(press.number, changed), toast)


async def _wipe(memory: MemoryClient, target: c.ForgetArgs) -> str:
    preview = await memory.forget(target)
    if preview.confirm is None:
        return phrase("forget.wiped_already")
    return views.forgotten_view(await memory.forget(target.model_copy(update={"confirm": preview.confirm})))
