"""The bot's commands, in the order of its menu, and the answer to each."""

from difflib import get_close_matches

from telegram import InlineKeyboardMarkup

from tellonce import contract as c
from tellonce_relay import buttons, views
from tellonce_relay.buttons import Reply
from tellonce_relay.catalogue import counted, phrase, spoken
from tellonce_relay.commands import forget_list, memory_browser
from tellonce_relay.commands.answers import CommandContext, answer, remembered
from tellonce_relay.incoming_message import Incoming, command_of
from tellonce_relay.orders import order_of
from tellonce_relay.responders.offline import OfflineResponder
from tellonce_relay.routines import routine_list
from tellonce_relay.turn import reminders
from tellonce_relay.turn.reminder_offers import offered, question
from tellonce_text.dates.lexicon import is_determiner, signs
from tellonce_text.lexicon import STOP_WORDS

MENU = (
    *("memory", "remember", "reminders", "forget", "summary", "new", "why", "stop", "skip"),
    *("routines", "status", "help"),
)
"""The commands in the order of the menu. The descriptions of the commands are in the catalogue."""


async def run(context: CommandContext, incoming: Incoming) -> Reply | None:
    """Run a command and return its answer. Raises MemoryUnreachable and MemoryRefused."""
    name, topic = command_of(incoming.text)
    if name == "/forget":
        return await _forget(context, incoming, topic)
    if name in ("/remind", "/reminders"):
        return await reminders.listed(context.memory, context.zone, incoming, topic)
    if name == "/routines":
        known = context.routines, context.sent
        has_model = not isinstance(context.responder, OfflineResponder)
        return routine_list.view(*known, incoming.chat_id or 0, incoming.sent_at, context.zone, has_model=has_model)
    if name == "/memory":
        return await _memory(context, incoming)
    if name == "/remember" and topic:
        return await _remember(context, incoming, topic)
    told = await answer(context, incoming)
    if told is None and (incoming.chat_id or 0) >= 0:
        # In a group, an unknown command may be for another bot.
        told = _unknown(incoming.text, name)
    return Reply(told) if told is not None else None


def _unknown(text: str, name: str) -> str:
    """The answer to an unknown command, with the command that was probably meant, such as `/memory` for `/memroy` and
    `/help` for `/hilfe`."""
    order = order_of(text.removeprefix("/"))
    meant = [order.command[1:].split()[0]] if order is not None and order.command else []
    meant = [*meant, *get_close_matches(name.removeprefix("/"), MENU)]
    near = [phrase("help.did_you_mean", command=meant[0])] if meant and meant[0] in MENU else []
    return " ".join([phrase("help.unknown_command"), *near])


async def _remember(context: CommandContext, incoming: Incoming, text: str) -> Reply:
    """Store the text and, if it names a future day, offer to remind of it."""
    kept, zone = await remembered(context, incoming, text), context.zone
    said, markup = views.remembered_view(kept), buttons.undo_buttons(kept.id, reopens=False)
    offer = offered(text, incoming.sent_at, zone)
    if not offer:
        return Reply(said, markup)
    button = buttons.reminder_offer(kept.id, of_memory=True).inline_keyboard[0]
    rows = [[*markup.inline_keyboard[0], *button]]
    return Reply(f"{said}\n{question(offer, incoming.sent_at, zone)}", InlineKeyboardMarkup(rows))


async def _memory(context: CommandContext, incoming: Incoming) -> Reply:
    """The stored memories or, if there are none, the latest messages."""
    profile = await context.memory.get_profile(c.GetProfileArgs(**incoming.place))
    shown = memory_browser.overview(profile, context.zone)
    if memory_browser.is_empty(profile):
        now = (await context.memory.summarize_chat(c.SummarizeChatArgs(**incoming.place))).current_session
        said = [phrase("summary.session", messages=counted("message", now.count), text=now.text)] if now.text else []
        return Reply("\n\n".join([shown.text, *said])[: views.LONGEST], shown.markup)
    return shown


async def _forget(context: CommandContext, incoming: Incoming, topic: str) -> Reply:
    """The list of what would be forgotten. In a reply, a topic such as `this` means the message to which the person
    replies."""
    if incoming.quoted and all(word in STOP_WORDS or word in signs() for word in topic.casefold().split()):
        topic = views.short(incoming.quoted)
        target = c.ForgetArgs(literal=incoming.quoted, **incoming.place)
    elif not topic:
        return await _ask_to_wipe(context, incoming)
    else:
        topic = _without_article(topic)
        target = c.ForgetArgs(topic=topic, **incoming.place)
    preview = await context.memory.forget(target)
    shown = forget_list.list_of(topic, target, preview)
    if shown is None:
        return Reply(views.nothing_view(preview))
    return Reply(forget_list.text(shown, context.zone), forget_list.markup(context.lists.add(shown), shown))


def _without_article(topic: str) -> str:
    """The topic without an article at its beginning, as in `die Milch`, because texts about the topic may have no
    article."""
    first, _, rest = topic.partition(" ")
    is_article = spoken() != "en" and is_determiner(first.casefold(), spoken())
    return rest.strip() if is_article and rest.strip() else topic


async def _ask_to_wipe(context: CommandContext, incoming: Incoming) -> Reply:
    preview = await context.memory.forget(c.ForgetArgs(everything=True, **incoming.place))
    if preview.confirm is None:
        return Reply(phrase("forget.wipe_nothing"))
    count = sum(preview.would_erase.get(table, 0) for table in ("memories", "messages"))
    return Reply(phrase("forget.wipe", n=count), buttons.wipe_buttons())
