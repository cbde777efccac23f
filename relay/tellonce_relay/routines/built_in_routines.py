"""The built-in routines. Their texts are based on stored memories. Each routine has a task for the model, and a text
for use without a model."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from operator import itemgetter
from typing import Final, NamedTuple

from tellonce import contract as c
from tellonce_relay.catalogue import day, phrase
from tellonce_relay.orders import order_of
from tellonce_relay.views import in_days, without_due, without_stamps
from tellonce_text.sentences import is_question

SILENCE = "NOTHING"
"""The model answers with exactly this word if it has nothing to send."""

SOON = timedelta(days=7)

SEPARATOR: Final = " · "
"""The separator that the memory puts between the messages of a session without a summary."""


class NothingToSend(Exception):
    """The routine has nothing to send now; the text says why."""


class BuiltIn(NamedTuple):
    """`query` is for the context. `listed` returns the text without a model, or raises NothingToSend."""

    prompt: str
    query: str
    listed: Callable[[c.Profile, c.ChatSummary, datetime], str]


def morning(profile: c.Profile, _: c.ChatSummary, now: datetime) -> str:
    """The dates of today and the coming week, and open goals."""
    today, zone = now.replace(hour=0, minute=0, second=0, microsecond=0), now.tzinfo
    due = [(m.deadline.astimezone(zone), m.content) for m in (*profile.dates, *profile.goals) if m.deadline]
    coming = sorted((each for each in due if today <= each[0] < now + SOON), key=itemgetter(0))
    shown = [(day(due, now, weekday=True), *without_due(content, due)) for due, content in coming]
    dates = [f"{on}{at}: {words}" for on, words, at in shown]
    return _parts(
        "no dates and no goals are known", *_list("routine.this_week", dates), *_goals("routine.goals", profile)
    )


def night(profile: c.Profile, summary: c.ChatSummary, _: datetime) -> str:
    """What the person said in the current session, without questions and orders, and the open goals."""
    said = summary.current_session.text.split(SEPARATOR)
    statements = [text for text in said if text and not is_question(text) and order_of(text) is None]
    return _parts(
        "nothing was said today and no goal is open",
        *_list("routine.today_said", statements),
        *_goals("routine.open_goals", profile),
    )


def checkin(profile: c.Profile, summary: c.ChatSummary, now: datetime) -> str:
    """A question about the most urgent goal, once a day."""
    if any(sent.name == CHECK_IN for sent in summary.routines_today):
        raise NothingToSend("there was a check-in today")
    goals = sorted(profile.goals, key=lambda m: (m.priority, m.deadline is None, m.deadline or m.valid_from))
    if not goals:
        raise NothingToSend("no goal is known")
    goal = goals[0]
    if goal.deadline is None:
        return phrase("routine.checkin", goal=without_stamps(goal.content))
    due = day(goal.deadline.astimezone(now.tzinfo), now, weekday=True)
    return phrase("routine.checkin_due", goal=without_stamps(goal.content), day=due)


def _parts(without: str, *parts: str) -> str:
    if not parts:
        raise NothingToSend(without)
    return "\n\n".join(parts)


def _list(title: str, lines: Sequence[str]) -> list[str]:
    return ["\n".join([phrase(title), *(f"• {line}" for line in lines)])] if lines else []


def _goals(title: str, profile: c.Profile) -> list[str]:
    return _list(title, [in_days(m.content) for m in profile.goals])


CHECK_IN: Final = "smart-checkin"

BUILT_IN: Final = {
    CHECK_IN: BuiltIn(
        "First decide whether a check-in is welcome now: not if the user was talking with you within the last hour, "
        f"if you checked in today already, or if nothing in memory is worth asking about. Then answer only {SILENCE}. "
        "Otherwise write one or two sentences as a friend would in a message: name one open goal or plan of the user's, "
        "with what you know of it, and ask how it is going. No greeting formula, no offer of help, no list.",
        "open goals, plans and pending actions",
        checkin,
    ),
    "morning-summary": BuiltIn(
        "Write the user's morning summary: today's dates and deadlines, then the active goals, then what was left open "
        "yesterday. Short lines, no greeting formula.",
        "today's appointments, deadlines and goals",
        morning,
    ),
    "night-summary": BuiltIn(
        "Write the user's night summary: what was talked about and decided today, and what is open for tomorrow. Short "
        "lines.",
        "what happened today",
        night,
    ),
}
"""The built-in routines by name. Every other routine has a prompt of its own, or runs the user's command."""
