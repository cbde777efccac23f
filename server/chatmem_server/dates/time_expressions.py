"""The dates of a statement in ISO 8601, and the direction a statement looks in: for comparing statements only."""

import re
from datetime import date

from chatmem_server.dates.date_mentions import Mention
from chatmem_server.dates.day_spans import Days, Direction, days_of, exact_day

_PAST = re.compile(
    r"\b(?:was|were|had|did|went|came|got|saw|met|took|made|gave|told|said|bought|sold|left|flew|ran|ate|began|started|had been"
    r"|\w{3,}ed|ago|since|last|yesterday|used to)\b",
    re.IGNORECASE,
)
_AHEAD = re.compile(
    r"\b(?:will|going to|is|are|am|plan(?:s|ned|ning)?|need(?:s|ed)? to|must|due|deadline|by|until|scheduled|booked|remind|want(?:s|ed)?"
    r"|expected|supposed|promise[sd]?|agree[sd]?|decide[sd]?|hope[sd]?|arranged|next|tomorrow|upcoming|'ll|moved to|rescheduled|postponed)\b",
    re.IGNORECASE,
)


def direction_of(text: str) -> Direction:
    """Whether a sentence tells of what was or of what is to come; the latter when it does not say."""
    return "past" if directions_of(text) == ("past",) else "future"


def directions_of(text: str) -> tuple[Direction, ...]:
    """The directions a sentence can be looking in: one where its verbs tell, else both."""
    back, ahead = bool(_PAST.search(text)), bool(_AHEAD.search(text))
    if back == ahead:
        return "past", "future"
    return ("past",) if back else ("future",)


def iso_date(mention: Mention, today: date, direction: Direction) -> str | None:
    """The date a mention means in ISO 8601, no more exact than it was said; None for a time of day or a long window."""
    if mention.form == "distance":
        day = exact_day(mention, today)
        return day.isoformat() if day else None
    days = days_of(mention, today, direction)
    return iso_of(days) if days and mention.form not in {"window", "season"} else None


def iso_of(days: Days) -> str:
    """The ISO 8601 name of a span of days: a day, week, month, quarter, or year; else its first day."""
    first, end = days
    match (end - first).days:
        case 7:
            year, week, _ = first.isocalendar()
            return f"{year}-W{week:02d}"
        case 28 | 29 | 30 | 31:
            return f"{first:%Y-%m}"
        case 90 | 91 | 92:
            return f"{first.year}-Q{(first.month + 2) // 3}"
        case 365 | 366:
            return f"{first.year:04d}"
        case _:
            return first.isoformat()
