"""The bot's answer to each command. Answers that have buttons or depend on the running conversation are in this module;
all others are in `answers.py`."""

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Protocol
from zoneinfo import ZoneInfo

from tellonce import contract as c
from tellonce_relay import buttons, views
from tellonce_relay.buttons import Reply
from tellonce_relay.catalogue import counted, current_language, moment, phrase
from tellonce_relay.commands import forget_list, memory_browser
from tellonce_relay.commands.answers import TEXT_ANSWERS, CommandContext, answer, store_statement
from tellonce_relay.cron import next_due
from tellonce_relay.incoming_message import Incoming, command_of
from tellonce_relay.responders.offline import OfflineResponder
from tellonce_relay.routines.file import Routine
from tellonce_relay.turn import reminders
from tellonce_text.dates.lexicon import is_determiner, signs
from tellonce_text.lexicon import STOP_WORDS
from tellonce_text.own_words import is_forwarded


class Conversation(Protocol):
    """The conversation in which a command is given."""

    async def stop(self, *, owed: bool = True) -> str | None:
        """End the running answer. If `owed` is false, an answer that waits for the model continues to wait. Returns the
        question if its answer was waiting for the model, an empty text for another answer, and None if no answer was
        ended."""
        ...

    async def last_answer(self) -> str | None:
        """The id of the message with the latest answer, if known. An answer that is being sent is finished first."""
        ...

    def trouble(self) -> str:
        """The sentence about a question that waits for the model; empty if no question waits."""
        ...

    def is_recorded(self) -> bool:
        """Whether the memory has the person's message."""
        ...


@dataclass(frozen=True)
class CommandCall:
    """A command that was sent to the bot; `text` is the rest of the message."""

    context: CommandContext
    incoming: Incoming
    text: str
    conversation: Conversation


async def run(context: CommandContext, incoming: Incoming, conversation: Conversation) -> Reply | None:
    """Run a command and return its answer. Raises MemoryUnreachable and MemoryRefused."""
    name, text = command_of(incoming.text)
    bot_answer = BOT_ANSWERS.get(name.removeprefix("/"))
    if bot_answer is not None:
        return await bot_answer(CommandCall(context, incoming, text, conversation))
    shown = await answer(context, incoming)
    if shown is None and (incoming.chat_id or 0) >= 0:
        # In a group, an unknown command may be for another bot.
        shown = phrase("help.unknown_command")
    return Reply(shown) if shown is not None else None


async def _text_answer(name: str, call: CommandCall) -> Reply:
    return Reply(await TEXT_ANSWERS[name](call.context, call.incoming, call.text))


async def _remember(call: CommandCall) -> Reply:
    """Store the text or, if the text is only a word such as `this`, the message to which the person replies."""
    incoming, text = call.incoming, call.text
    if _only_points(text):
        said = _with_mark(incoming, incoming.meant.strip())
        text = f"{incoming.quoted_speaker}: {said}" if said and incoming.quoted_speaker else said
    if not text:
        return await _text_answer("remember", replace(call, text=""))
    kept = await store_statement(call.context, call.incoming, text)
    return Reply(views.remembered_view(kept), buttons.undo_buttons(kept.id, reopens=False))


def _with_mark(incoming: Incoming, said: str) -> str:
    """Selected words of a forwarded message, with its mark. Their days count from the time in the mark."""
    if not (said and incoming.selected and is_forwarded(incoming.quoted)):
        return said
    return "\n".join([incoming.quoted.split("\n", 1)[0], *(f"> {line}" for line in said.split("\n"))])


def _only_points(text: str) -> bool:
    """Whether a text is empty, or only points to another message, as `this` does."""
    said = re.findall(r"\w+", text.casefold())
    return bool(said or not text) and all(word in STOP_WORDS or word in signs() for word in said)


async def _memory(call: CommandCall) -> Reply:
    context, incoming = call.context, call.incoming
    profile = await context.memory.get_profile(c.GetProfileArgs(**incoming.place))
    shown = memory_browser.overview(profile, context.zone, incoming.sent_at, incoming.chat_id)
    if memory_browser.is_empty(profile):
        now = (await context.memory.summarize_chat(c.SummarizeChatArgs(**incoming.place))).current_session
        said = [phrase("summary.session", messages=counted("message", now.count), text=now.text)] if now.text else []
        return Reply("\n\n".join([shown.text, *said])[: views.LONGEST], shown.markup)
    return shown


async def _forget(call: CommandCall) -> Reply:
    """In a reply, a topic such as `this` means the message to which the person replies."""
    context, incoming, topic = call.context, call.incoming, call.text
    if incoming.meant and _only_points(topic):
        topic = views.short(incoming.meant)
        target = c.ForgetArgs(literal=incoming.meant, **incoming.place)
    elif not topic:
        return await _ask_to_wipe(context, incoming)
    else:
        topic = _without_article(topic)
        target = c.ForgetArgs(topic=topic, **incoming.place)
    preview = await context.memory.forget(target)
    shown = forget_list.list_of(topic, target, preview)
    if shown is None:
        return Reply(views.nothing_view(preview))
    now = incoming.sent_at.astimezone(context.zone)
    return Reply(forget_list.text(shown, now), forget_list.markup(context.lists.add(shown), shown))


def _without_article(topic: str) -> str:
    """`die Milch -> Milch`: texts about the topic can lack the article."""
    first, _, rest = topic.partition(" ")
    is_article = current_language() != "en" and is_determiner(first.casefold(), current_language())
    return rest.strip() if is_article and rest.strip() else topic


async def _ask_to_wipe(context: CommandContext, incoming: Incoming) -> Reply:
    if not incoming.may_erase_all:
        return Reply(phrase("forget.wipe_refused"))
    preview = await context.memory.forget(c.ForgetArgs(everything=True, **incoming.place))
    if preview.confirm is None:
        return Reply(phrase("forget.wipe_nothing"))
    count = sum(preview.would_erase.get(table, 0) for table in ("memories", "messages"))
    in_group = incoming.chat_id is not None and incoming.chat_id < 0
    return Reply(phrase("forget.wipe_group" if in_group else "forget.wipe", n=count), buttons.wipe_buttons())


async def _reminders(call: CommandCall) -> Reply:
    return await reminders.listed(call.context.memory, call.context.zone, call.incoming, call.text)


async def _remind(call: CommandCall) -> Reply:
    if not call.text:
        return await _reminders(call)
    recorded = call.conversation.is_recorded()
    return await reminders.ordered(call.context.memory, call.context.zone, call.incoming, call.text, recorded=recorded)


async def _routines(call: CommandCall) -> Reply:
    context, now = call.context, call.incoming.sent_at
    has_model = not isinstance(context.responder, OfflineResponder)
    lines = [
        _routine_line(routine, now, context.zone)
        if has_model or not routine.needs_model
        else phrase("routine.needs_model", name=routine.name)
        for routine in context.routines
    ]
    lines += [phrase("routine.invalid", name=name) for name in context.invalid_routines]
    return Reply("\n".join([phrase("routine.title"), *lines]) if lines else phrase("routine.none"))


def _routine_line(routine: Routine, now: datetime, zone: ZoneInfo) -> str:
    at = next_due(routine.cron, now, zone)
    when = moment(at.astimezone(zone), now.astimezone(zone)) if at is not None else phrase("routine.never")
    return phrase("routine.line", name=routine.name, when=when)


async def _new(call: CommandCall) -> Reply:
    """A running answer ends first, so that it does not become part of the new conversation."""
    await call.conversation.stop(owed=False)
    return await _text_answer("new", call)


async def _why(call: CommandCall) -> Reply:
    about = call.incoming.reply_to_message_id or await call.conversation.last_answer()
    return await _text_answer("why", replace(call, incoming=replace(call.incoming, reply_to_message_id=about)))


async def _status(call: CommandCall) -> Reply:
    return Reply("\n".join(filter(None, ((await _text_answer("status", call)).text, call.conversation.trouble()))))


async def _stop(call: CommandCall) -> Reply:
    question = await call.conversation.stop()
    if question:
        return Reply(phrase("turn.dropped", question=views.short(question)))
    return Reply(phrase("turn.nothing_to_stop" if question is None else "turn.stopped"))


BOT_ANSWERS: Final[Mapping[str, Callable[[CommandCall], Awaitable[Reply]]]] = {
    "memory": _memory,
    "remember": _remember,
    "remind": _remind,
    "reminders": _reminders,
    "forget": _forget,
    "new": _new,
    "why": _why,
    "stop": _stop,
    "routines": _routines,
    "status": _status,
}
"""The bot's own answers. The other commands of the table are answered as in the terminal."""
