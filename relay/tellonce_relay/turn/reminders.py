"""Sets, lists and changes reminders, and answers in the person's language."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from typing import Final, Literal
from zoneinfo import ZoneInfo

from telegram import InlineKeyboardMarkup

from tellonce import contract as c
from tellonce.client import MemoryClient, MemoryRefused
from tellonce.reminders import ChangeReminderArgs, FinishReminderArgs, ListRemindersArgs, Reminder, SetReminderArgs
from tellonce_relay import buttons
from tellonce_relay.buttons import CallbackData, Reply
from tellonce_relay.catalogue import clock, current_language, day, moment, phrase
from tellonce_relay.cron import is_too_frequent, next_due
from tellonce_relay.incoming_message import Incoming
from tellonce_relay.memory_outage import FOREVER, with_retries
from tellonce_relay.orders import asks_for_reminder, without_joint
from tellonce_relay.responders.shared_words import content_words
from tellonce_relay.views import in_days, without_stamps
from tellonce_text.dates.alarms import Alarm, alarm
from tellonce_text.dates.readings import Said
from tellonce_text.dates.zones import region_of
from tellonce_text.own_words import is_forwarded

MOST_LISTED: Final = 20
LONGEST_QUOTE: Final = 2000
LONGEST_QUOTED: Final = 200
"""Maximum number of characters of a quoted message in a reminder."""
LONGEST_RULE: Final = 96
"""Maximum number of characters of a repetition, as in the contract."""
_COMPARED: Final = 10
"""The number of due times of a rule that are compared with the words of the rule."""
_SHOWN_TIMES: Final = 3
"""The number of due times that show a rule without words."""
SNOOZE: Final = timedelta(hours=1)

ROUTINE: Final = "reminder"
"""The name under which a delivered reminder is recorded."""

LATE: Final = timedelta(minutes=1)
"""Delay after which the message says when the reminder was due."""

Change = Literal["cancel", "restore", "move"]
_ACTIONS: Final[dict[buttons.Action, Change]] = {"unremind": "cancel", "remind again": "restore", "later": "move"}
_SAID: Final[dict[Change, str]] = {
    "cancel": "reminder.cancelled",
    "restore": "reminder.restored",
    "move": "reminder.later",
}


@dataclass(frozen=True)
class Wanted:
    """A requested reminder: its text `what`, its first time `at`, and the repetition `repeats`, if it has one. `note`
    names the other day that numbers such as 12/10 can mean."""

    what: str
    at: datetime
    repeats: str | None = None
    words: str | None = None
    note: str = ""

    def args(self, incoming: Incoming, *, claimed: bool = False, recorded: bool = False) -> SetReminderArgs:
        """The arguments. `claimed` means that the reminder is a model's claim, which the server checks. `recorded`
        means that the memory already has the message. The message is then named as the source, so that the reminder is
        not learned twice."""
        source = incoming.message_id if claimed or recorded else None
        quote = incoming.text[:LONGEST_QUOTE] if claimed else None
        return SetReminderArgs(
            content=self.what,
            at=self.at,
            repeats=self.repeats,
            words=self.words,
            source_message_id=source,
            quote=quote,
            **incoming.place,
        )


_RULE = re.compile(
    r"(?P<rule>(?:\S+(?: \S+){4}|R/\S+)(?: until \d{4}-\d\d-\d\dT\d\d:\d\d)?)(?: ?\((?P<words>[^)]{1,200})\))?"
)
_COLON = re.compile(r":(?=\s)")
"""A colon between a time and the text ("tomorrow at 9: dentist"). It does not belong to the time."""


class NotSet(Exception):
    """No reminder can be set; the text gives the person the reason."""


class Unfit(NotSet):
    """A reminder cannot do all that the request says. The text is for a person without a model."""


def asks_in_vain(text: str, said_at: datetime, zone: ZoneInfo) -> bool:
    """Whether a statement asks for a reminder, although no reminder could be set for it. A single word counts only if
    the statement also has a time, because the word can also mean `remember`. A time alone may answer the question when
    to remind."""
    words = asks_for_reminder(text[:LONGEST_QUOTED])
    try:
        found = _alarm_in(text, said_at, zone)
    except NotSet:
        return " " in words and not is_forwarded(text)
    is_only_time = not without_joint(f"{text[: found.start]} {text[found.end :]}")
    return (bool(words) or is_only_time) and not is_forwarded(text)


async def listed(memory: MemoryClient, zone: ZoneInfo, incoming: Incoming, topic: str = "") -> Reply:
    """The reminders that share a word with the topic; if there are none, all reminders. Raises MemoryUnreachable and
    MemoryRefused."""
    known, said = await coming(memory, incoming), content_words(topic)
    meant = tuple(reminder for reminder in known if said & content_words(what_of(reminder)))
    return list_reply(meant or known, incoming.sent_at, zone)


async def ordered(
    memory: MemoryClient, zone: ZoneInfo, incoming: Incoming, text: str, *, recorded: bool = False
) -> Reply:
    """Set the reminder that a person requests, and confirm it or say why none is set. Raises MemoryUnreachable and
    MemoryRefused."""
    try:
        wanted = wanted_by(text, incoming.sent_at, zone, incoming.meant)
    except NotSet as reason:
        return Reply(str(reason))
    made = await memory.set_reminder(wanted.args(incoming, recorded=recorded))
    return set_reply(made, incoming.sent_at, zone, wanted.note)


async def set_by(
    memory: MemoryClient, zone: ZoneInfo, incoming: Incoming, text: str, *, recorded: bool = False
) -> Reminder:
    """Set the reminder that a person requests. Raises NotSet, MemoryUnreachable and MemoryRefused."""
    wanted = wanted_by(text, incoming.sent_at, zone, incoming.meant)
    return await memory.set_reminder(wanted.args(incoming, recorded=recorded))


def wanted_by(text: str, now: datetime, zone: ZoneInfo, quoted: str = "") -> Wanted:
    """Parse the text after an order's phrase, such as `tomorrow at 9 to call mom`. If the text is only a time, the
    reminder is about `quoted`, the message to which the text replies. Raises NotSet."""
    found = _alarm_in(text, now, zone)
    rest = f"{text[: found.start].rstrip()} {text[found.end :].strip(' ,:')}"
    what = without_joint(rest) or quoted[:LONGEST_QUOTED]
    wanted = _at(what, found, text, now, zone)
    if not what:
        raise NotSet(phrase("reminder.asks_what", example=phrase("reminder.example")))
    return wanted


def is_plain_order(text: str, now: datetime, zone: ZoneInfo) -> bool:
    """Whether the text after `remind me` clearly asks for a reminder: it begins with a time, or it begins with `to` and
    its time has a number. `remind me what we decided on Monday` is a question about the past instead."""
    try:
        found = _alarm_in(text, now, zone)
    except NotSet:
        return False
    numbered = any(character.isdigit() for character in text[found.start : found.end])
    return found.start == 0 or (numbered and without_joint(text) != text)


def is_unfit(text: str, now: datetime, zone: ZoneInfo) -> bool:
    """Whether only a model can set a reminder from the text, for example for `every 2 hours to drink`."""
    try:
        return _alarm_in(text, now, zone).unfit is not None
    except NotSet:
        return False


def timed(what: str, text: str, now: datetime, zone: ZoneInfo) -> Wanted:
    """The request to be reminded of `what` at the time that `text` gives. Raises NotSet."""
    return _at(what, _alarm_in(text, now, zone), text, now, zone)


def by_rule(what: str, rule: str, first: str, now: datetime, zone: ZoneInfo) -> Wanted:
    """The request to be reminded of `what` by a rule. A rule such as `0 9 * * 1-5 (every weekday at 9)` is a
    repetition, followed by its words in brackets. The words are dropped if they name other days than the repetition.
    `first` is the first time; if it is empty, the next time of the rule is the first. Raises NotSet."""
    begin = max(now, (_alarm_in(first, now, zone).at or now) - LATE) if first else now
    found = _RULE.fullmatch(rule)
    if found is None:
        return _by_words(what, rule, begin, zone)
    try:
        due = next_due(found["rule"], begin, zone)
    except ValueError:
        return _by_words(what, rule, begin, zone)
    if due is None or len(found["rule"]) > LONGEST_RULE or is_too_frequent(found["rule"]):
        raise Unfit(phrase("reminder.repetition"))
    words = found["words"] if _is_same(found["words"] or "", found["rule"], now, zone) else None
    return Wanted(what, due, found["rule"], words)


def _by_words(what: str, words: str, now: datetime, zone: ZoneInfo) -> Wanted:
    """The request by words such as `every Monday at 8`, which some models give instead of a rule."""
    wanted = timed(what, words, now, zone)
    if wanted.repeats is None:
        raise Unfit(phrase("reminder.repetition"))
    return wanted


def _is_same(words: str, rule: str, now: datetime, zone: ZoneInfo) -> bool:
    """Whether the words of a rule give the same days as the rule itself. True if only a model can understand the words."""
    try:
        said = _alarm_in(words, now, zone).repeats
    except NotSet:
        return True
    return said is None or all(
        one.date() == other.date() for one, other in zip(_dues(said, now, zone), _dues(rule, now, zone), strict=False)
    )


def _dues(rule: str, now: datetime, zone: ZoneInfo) -> Iterator[datetime]:
    due = next_due(rule, now, zone)
    for _ in range(_COMPARED):
        if due is None:
            return
        yield due
        due = next_due(rule, due, zone)


def _alarm_in(text: str, now: datetime, zone: ZoneInfo) -> Alarm:
    """The alarm in a text. Raises NotSet if there is none."""
    said = Said(now, zone, region_of(zone))
    # The language of a few words is hard to detect. So they are parsed in the detected language and in the
    # conversation's language, and the result that uses more of the words is taken.
    parsed = _COLON.sub(",", text)
    known = [one for one in (alarm(parsed, said), alarm(parsed, said, current_language())) if one is not None]
    if not known:
        raise NotSet(phrase("reminder.asks_when", example=phrase("reminder.example")))
    return max(known, key=lambda one: one.end - one.start)


def _at(what: str, found: Alarm, text: str, now: datetime, zone: ZoneInfo) -> Wanted:
    """The reminder to set for `found`, the alarm that the text names. Raises NotSet if the alarm is past or cannot be
    set."""
    if found.unfit is not None:
        raise Unfit(phrase(f"reminder.{found.unfit}"))
    if found.repeats is not None:
        first = next_due(found.repeats, now, zone)
        assert first is not None  # it repeats every day, week, month or year
        return Wanted(what, first, found.repeats, text[found.start : found.end])
    assert found.at is not None
    if found.at <= now:
        raise NotSet(phrase("reminder.past", when=moment(found.at, now.astimezone(zone))))
    if found.otherwise is None:
        return Wanted(what, found.at)
    other = day(found.otherwise, now.astimezone(zone), weekday=True)
    note = phrase("reminder.other_day", words=text[found.start : found.end], day=other)
    return Wanted(what, found.at, note=note)


def set_reply(made: Reminder, now: datetime, zone: ZoneInfo, note: str = "") -> Reply:
    """The confirmation of a reminder: its time in the person's zone, and a button that cancels it. `note` is about a
    doubtful day."""
    text = phrase("reminder.set", when=when(made, now, zone), what=what_of(made))
    return Reply(f"{text}\n\n{note}" if note else text, buttons.reminder_undo(made.memory.id))


def cancelled_reply(reminder: Reminder) -> Reply:
    """The note that a reminder was cancelled, with a button that undoes the cancellation."""
    return Reply(phrase("reminder.cancelled", what=what_of(reminder)), buttons.reminder_restore(reminder.memory.id))


async def coming(memory: MemoryClient, incoming: Incoming) -> tuple[Reminder, ...]:
    """All upcoming reminders, sorted by time."""
    return (await memory.list_reminders(ListRemindersArgs(**incoming.place))).reminders


async def is_set_by(memory: MemoryClient, incoming: Incoming) -> bool:
    """Whether the message has set a reminder that is still to come."""
    try:
        known = await memory.explain(c.ExplainArgs(message_id=incoming.message_id, chat_id=incoming.chat_id))
    except MemoryRefused:
        return False
    learned = {one.id for one in known.memories}
    return bool(learned) and any(one.memory.id in learned for one in await coming(memory, incoming))


def list_reply(reminders: tuple[Reminder, ...], now: datetime, zone: ZoneInfo) -> Reply:
    """A list of reminders, each with a button that cancels it."""
    if not reminders:
        return Reply(phrase("reminder.none", example=phrase("reminder.example")))
    shown = reminders[:MOST_LISTED]
    markup = buttons.reminder_list([reminder.memory.id for reminder in shown])
    return Reply("\n".join([phrase("reminder.list"), *_lines(shown, now, zone)]), markup)


def _lines(reminders: Sequence[Reminder], now: datetime, zone: ZoneInfo) -> list[str]:
    numbered = enumerate(reminders, 1)
    return [phrase("reminder.line", number=n, when=when(r, now, zone), what=what_of(r)) for n, r in numbered]


async def run_action(
    memory: MemoryClient, chat_id: int, callback: CallbackData, now: datetime, zone: ZoneInfo
) -> Reply:
    """Carry out the action of a button under a reminder. With `item` 1, the button is in a list, and the list of the
    remaining reminders is shown again."""
    number = callback.number
    if callback.action == "done":
        known = await memory.explain(c.ExplainArgs(memory_id=number, chat_id=chat_id))
        return Reply(phrase("reminder.done", what=without_stamps(known.text)))
    at = now + SNOOZE if callback.action == "later" else None
    action = _ACTIONS[callback.action]
    changed = await memory.change_reminder(ChangeReminderArgs(memory_id=number, action=action, at=at, chat_id=chat_id))
    markup = buttons.reminder_restore(number) if action == "cancel" else buttons.reminder_undo(number)
    said = phrase(_SAID[action], what=what_of(changed), when=when(changed, now, zone))
    if callback.item:
        left = (await memory.list_reminders(ListRemindersArgs(chat_id=chat_id))).reminders
        rest = list_reply(left, now, zone)
        rows = [*markup.inline_keyboard, *(rest.markup.inline_keyboard if rest.markup is not None else ())]
        return Reply(f"{said}\n\n{rest.text}", InlineKeyboardMarkup(rows))
    return Reply(said, markup)


def what_of(reminder: Reminder) -> str:
    """Return the text of a reminder, without the days, times and rule that the memory has added."""
    return without_stamps(reminder.memory.content.removesuffix(f" ({reminder.repeats})"))


def with_times(reminder: Reminder, now: datetime, zone: ZoneInfo) -> str:
    """Return the text of a reminder with its time. If the reminder repeats by a rule that nobody put into words, the
    text has the first times of the rule."""
    content, rule = reminder.memory.content, reminder.repeats
    if rule is None or not content.endswith(f" ({rule})"):
        return in_days(content)
    first = islice(_dues(rule, reminder.due_at - LATE, zone), _SHOWN_TIMES)
    return f"{what_of(reminder)} ({', '.join(moment(at.astimezone(zone), now.astimezone(zone)) for at in first)}, …)"


def when(reminder: Reminder, now: datetime, zone: ZoneInfo) -> str:
    return moment(reminder.due_at.astimezone(zone), now.astimezone(zone))


def due_text(reminder: Reminder, zone: ZoneInfo, *, late: bool) -> str:
    """The text of a due reminder. If the reminder is delivered late, the text says when the reminder was due."""
    due = reminder.due_at.astimezone(zone)
    at = phrase("reminder.at", day=day(due, due, weekday=True), time=clock(due))
    return phrase("reminder.due_late" if late else "reminder.due", what=what_of(reminder), when=at)


async def finish(memory: MemoryClient, reminder: Reminder, now: datetime, zone: ZoneInfo) -> None:
    """Record that a reminder was delivered and, if the reminder repeats, when it is due next. Raises MemoryRefused."""
    after = max(now, reminder.due_at)
    args = FinishReminderArgs(
        chat_id=reminder.chat_id,
        memory_id=reminder.memory.id,
        due_at=reminder.due_at,
        next_at=next_due(reminder.repeats, after, zone) if reminder.repeats is not None else None,
    )
    await with_retries(lambda: memory.finish_reminder(args), FOREVER)
