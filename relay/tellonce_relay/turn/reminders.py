"""Sets, lists and changes reminders, and answers in the person's language."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal
from zoneinfo import ZoneInfo

from telegram import InlineKeyboardMarkup

from tellonce import contract as c
from tellonce.client import MemoryClient
from tellonce.reminders import ChangeReminderArgs, FinishReminderArgs, ListRemindersArgs, Reminder, SetReminderArgs
from tellonce_relay import buttons
from tellonce_relay.buttons import CallbackData, Reply
from tellonce_relay.catalogue import clock, current_language, day, moment, phrase
from tellonce_relay.cron import last_due, next_due
from tellonce_relay.incoming_message import Incoming
from tellonce_relay.memory_outage import FOREVER, with_retries
from tellonce_relay.orders import asks_for_reminder, without_joint
from tellonce_relay.responders.shared_words import content_words
from tellonce_relay.views import without_stamps
from tellonce_text.dates.alarms import Alarm
from tellonce_text.dates.intervals import UNTIL, Interval
from tellonce_text.dates.readings import Said
from tellonce_text.dates.repetitions import says_end
from tellonce_text.dates.several_alarms import alarms
from tellonce_text.dates.zones import region_of
from tellonce_text.own_words import is_forwarded

MOST_LISTED: Final = 20
LONGEST_QUOTE: Final = 2000
LONGEST_QUOTED: Final = 200
"""Maximum number of characters of a quoted message in a reminder."""
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
    """A requested reminder: its text `what`, its first time `at`, and the repetition `repeats`, if it has one."""

    what: str
    at: datetime
    repeats: str | None = None
    words: str | None = None

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


_COLON = re.compile(r":(?=\s)")
"""A colon between a time and the text ("tomorrow at 9: dentist"). It does not belong to the time."""


class NotSet(Exception):
    """No reminder can be set; the text gives the person the reason."""


def asks_in_vain(text: str, said_at: datetime, zone: ZoneInfo) -> bool:
    """Whether a statement asks for a reminder, although no reminder could be set for it. A single word counts only if
    the statement also has a time, because the word can also mean `remember`."""
    words = asks_for_reminder(text[:LONGEST_QUOTED]) if not is_forwarded(text) else ""
    return " " in words or (bool(words) and has_time(text, said_at, zone))


async def listed(memory: MemoryClient, zone: ZoneInfo, incoming: Incoming, topic: str = "") -> Reply:
    """The reminders that share a word with the topic; if there are none, all reminders. Raises MemoryUnreachable and
    MemoryRefused."""
    known, said = await coming(memory, incoming), content_words(topic)
    meant = tuple(reminder for reminder in known if said & content_words(subject_of(reminder)))
    return list_reply(meant or known, incoming.sent_at, zone)


async def ordered(
    memory: MemoryClient, zone: ZoneInfo, incoming: Incoming, text: str, *, recorded: bool = False
) -> Reply:
    """Set the reminders that a person requests, and confirm them or say why none is set. Raises MemoryUnreachable and
    MemoryRefused."""
    try:
        made = await set_by(memory, zone, incoming, text, recorded=recorded)
    except NotSet as reason:
        return Reply(str(reason))
    return set_reply(made, incoming.sent_at, zone, other_days(text, incoming.sent_at, zone))


async def set_by(
    memory: MemoryClient, zone: ZoneInfo, incoming: Incoming, text: str, *, recorded: bool = False
) -> tuple[Reminder, ...]:
    """Set the reminders that a person requests, one for each time. Raises NotSet, MemoryUnreachable and
    MemoryRefused."""
    wanted = wanted_by(text, incoming.sent_at, zone, incoming.meant)
    return tuple([await memory.set_reminder(one.args(incoming, recorded=recorded)) for one in wanted])


def other_days(text: str, now: datetime, zone: ZoneInfo) -> list[str]:
    """For each time in a request whose numbers can mean two days (`12/10`): a note that names the other
    day."""
    others = ((one, one.otherwise) for one in _alarms_in(text, now, zone))
    return [
        phrase(
            "reminder.other_day",
            words=text[one.start + one.lead : one.end],
            day=day(other, now.astimezone(zone), weekday=True),
        )
        for one, other in others
        if other is not None
    ]


def wanted_by(text: str, now: datetime, zone: ZoneInfo, quoted: str = "") -> tuple[Wanted, ...]:
    """Parse the text after an order's phrase, such as `tomorrow at 9 to call mom`. If the text is only a time, the
    reminder is about `quoted`, the message to which the text replies. Raises NotSet."""
    return _wanted(text, _alarms_in(text, now, zone), now, zone, quoted)


def _wanted(text: str, found: Sequence[Alarm], now: datetime, zone: ZoneInfo, quoted: str = "") -> tuple[Wanted, ...]:
    subjects = [what or quoted[:LONGEST_QUOTED] for what in _subjects(text, found)]
    if not all(subjects):
        raise NotSet(phrase("reminder.asks_what", example=phrase("reminder.example")))
    words = _words_of(text, found, now, zone)
    return tuple(_at(*one, now, zone) for one in zip(subjects, found, words, strict=True))


def _words_of(text: str, found: Sequence[Alarm], now: datetime, zone: ZoneInfo) -> list[str]:
    """The words of each alarm. If an alarm shares the day of another one, its words include the words for this day."""
    words: list[str] = []
    first = ""
    for one in found:
        own = text[one.start + one.lead : one.end]
        words.append(_with_day(first, own, now, zone) if one.shares_day else own)
        first = first if one.shares_day else own
    return words


def _with_day(first: str, own: str, now: datetime, zone: ZoneInfo) -> str:
    """Return `own` with the day of the earlier words `first`: `("every weekday at 8:30", "17:00") -> "every weekday
    17:00"`."""
    parts, added = first.split(), own.split()
    for count in range(len(parts) - 1, 0, -1):
        if not has_time(" ".join(parts[:count]), now, zone):
            break
        if not _alarms_in(" ".join(parts[:count]), now, zone)[0].timed:
            twice = max(n for n in range(len(added) + 1) if parts[:count][count - n :] == added[:n])
            return " ".join([*parts[:count], *added[twice:]])
    return f"{first} … {own}"


def _subjects(text: str, found: Sequence[Alarm]) -> list[str]:
    """The subject of the reminder at each of the times. A text before the first time is the subject at all times.
    Otherwise, the subject at a time is the text after this time. If there is no such text, it is the subject at a
    neighboring time: `at 9 and at 15:00 to take the pills`."""
    ends = [*(one.start for one in found[1:]), len(text)]
    parts = [text[one.end : end].strip(" ,:") for one, end in zip(found, ends, strict=True)]
    before = text[: found[0].start].rstrip()
    if without_joint(before):
        return [without_joint(" ".join([before, *filter(None, parts)]))] * len(found)
    parts = [without_joint(f"{before} {part}") for part in parts]
    last = next((part for part in reversed(parts) if part), "")
    subjects: list[str] = []
    for part in reversed(parts):
        subjects.insert(0, part or (subjects[0] if subjects else last))
    return subjects


def has_time(text: str, now: datetime, zone: ZoneInfo) -> bool:
    """Whether a text gives a time for a reminder."""
    try:
        return bool(_alarms_in(text, now, zone))
    except NotSet:
        return False


def is_plain_order(text: str, now: datetime, zone: ZoneInfo) -> bool:
    """Whether the text after `remind me` clearly asks for a reminder: it begins with a time, or it begins with `to` and
    its time has a number. `remind me what we decided on Monday` is a question about the past instead."""
    try:
        found = _alarms_in(text, now, zone)[0]
    except NotSet:
        return False
    numbered = any(character.isdigit() for character in text[found.start + found.lead : found.end])
    return found.start == 0 or (numbered and without_joint(text) != text)


def timed(what: str, text: str, now: datetime, zone: ZoneInfo) -> tuple[Wanted, ...]:
    """The requests to be reminded of `what` at the times that `text` gives. Raises NotSet."""
    found = _alarms_in(text, now, zone)
    return tuple(_at(what, *one, now, zone) for one in zip(found, _words_of(text, found, now, zone), strict=True))


def _alarms_in(text: str, now: datetime, zone: ZoneInfo) -> tuple[Alarm, ...]:
    """The alarms in a text. Raises NotSet if there is none."""
    said = Said(now, zone, region_of(zone))
    # The language of a few words is hard to detect. So they are parsed in the detected language and in the
    # conversation's language, and the result that uses more of the words is taken.
    parsed = _COLON.sub(",", text)
    found = max(alarms(parsed, said), alarms(parsed, said, current_language()), key=_length)
    if not found:
        raise NotSet(phrase("reminder.asks_when", example=phrase("reminder.example")))
    return found


def _length(found: tuple[Alarm, ...]) -> int:
    return sum(one.end - one.start for one in found)


def _at(what: str, found: Alarm, words: str, now: datetime, zone: ZoneInfo) -> Wanted:
    """The request for an alarm with these words. Raises NotSet if the alarm is past or cannot be repeated."""
    if found.repeats is not None:
        first = next_due(found.repeats, now, zone)
        assert first is not None  # it repeats every day, week, month or year
        last = _last(found, first, zone)
        if last is not None and last < first:
            raise NotSet(phrase("reminder.ends_before", when=moment(last, now.astimezone(zone))))
        ends = f"{UNTIL}{last:%Y-%m-%dT%H:%M}" if last is not None else ""
        return Wanted(what, first, found.repeats + ends, words)
    if found.at is None:
        raise NotSet(phrase("reminder.too_often"))
    if found.at <= now:
        raise NotSet(phrase("reminder.past", when=moment(found.at, now.astimezone(zone))))
    return Wanted(what, found.at)


def _last(found: Alarm, first: datetime, zone: ZoneInfo) -> datetime | None:
    """The last possible time of a repetition that begins at `first`. None for a repetition without an end. In `every 2
    hours for 5 minutes`, the 5 minutes are over before the second time. So they are the length of the activity, not of
    the repetition."""
    last = found.last_possible(first)
    if last is None or found.lasts is None or found.lasts[1] not in ("hour", "minute"):
        return last
    second = next_due(found.repeats or "", first, zone)
    return last if second is not None and second <= last else None


def set_reply(made: Sequence[Reminder], now: datetime, zone: ZoneInfo, doubts: Sequence[str] = ()) -> Reply:
    """The confirmation of reminders that were set together. It shows the time of each in the person's zone, a button
    that cancels it, the notes about doubtful days, and those about repetitions."""
    repeated = (note for one in made if one.repeats is not None for note in _notes(one, now, zone))
    notes = dict.fromkeys((*doubts, *repeated))
    note = ["", *notes] if notes else []
    if len(made) > 1:
        markup = buttons.reminder_list([one.memory.id for one in made])
        return Reply("\n".join([phrase("reminder.set_several"), *_lines(made, now, zone), *note]), markup)
    text = phrase("reminder.set", when=when(made[0], now, zone), what=what_of(made[0]))
    return Reply("\n".join([text, *note]), buttons.reminder_undo(made[0].memory.id))


def _notes(reminder: Reminder, now: datetime, zone: ZoneInfo) -> Iterator[str]:
    """The sentences about a repetition in its confirmation:

    - the last time, if the repetition has an end;
    - that the repetition has no end, if only the words of its subject name an end;
    - what happens in months without the reminder's day.
    """
    assert reminder.repeats is not None
    last = last_due(reminder.repeats, reminder.due_at.astimezone(zone), zone)
    if last is not None:
        yield phrase("reminder.last", when=moment(last, now.astimezone(zone)))
    elif says_end(subject_of(reminder), current_language()):
        yield phrase("reminder.endless")
    day, on_last_day = _scarce_day(reminder.repeats)
    if day:
        yield phrase("reminder.on_last_day" if on_last_day else "reminder.skips", day=day)


def _scarce_day(repeats: str) -> tuple[int, bool]:
    """The day of a monthly reminder (29, 30 or 31), and whether shorter months use their last day instead. The day is 0
    if every month has it."""
    rule = repeats.partition(UNTIL)[0]
    interval = Interval.read(rule)
    if interval is not None:
        return (interval.start.day if interval.unit == "month" and interval.start.day > LAST_IN_ALL else 0), True
    days = [int(day) for day in rule.split()[2].split(",") if day.isdecimal()]
    return max((day for day in days if day > LAST_IN_ALL), default=0), False


LAST_IN_ALL: Final = 28
"""The last day that every month has."""


def cancelled_reply(reminder: Reminder) -> Reply:
    """The note that a reminder was cancelled, with a button that undoes the cancellation."""
    return Reply(phrase("reminder.cancelled", what=what_of(reminder)), buttons.reminder_restore(reminder.memory.id))


async def coming(memory: MemoryClient, incoming: Incoming) -> tuple[Reminder, ...]:
    """All upcoming reminders, sorted by time."""
    return (await memory.list_reminders(ListRemindersArgs(**incoming.place))).reminders


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
    """Return the text of a reminder, without the days and times that the memory has added."""
    return without_stamps(reminder.memory.content)


def subject_of(reminder: Reminder) -> str:
    """The text of a reminder, without its time or its repetition."""
    what = what_of(reminder)
    return what[: what.rindex(" (")] if reminder.repeats is not None and what.endswith(")") else what


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
