"""A statement's time expressions put as calendar dates, so that statements of different days can be compared.

"Call the dentist tomorrow" means another day when it is said again in a month.  What returns every year or every week
stays as it is said.  Only for comparing: what is stored keeps the user's words.
"""

import re
from datetime import datetime
from functools import lru_cache
from typing import Final

from chatmem_server.caches import of_texts
from chatmem_server.dates.date_mentions import Mention, find
from chatmem_server.dates.day_spans import Direction
from chatmem_server.dates.time_expressions import direction_of, iso_date
from chatmem_server.memories.claims import plain


@of_texts
@lru_cache(maxsize=2_048)
def with_dates(text: str, said_at: datetime | None) -> str:
    """The text with each date that happens once in ISO form, by its own annotation or by when and where it was said.

    `said_at` carries the offset of the speaker; without it relative dates stay as they are.
    """
    flat = plain(text)
    if len(flat) > _LONGEST:
        return flat
    returning, direction = bool(_YEARLY.search(flat)), direction_of(flat)
    for mention in reversed(find(flat)):
        note = _NOTE.match(flat, mention.end)
        dated = _annotated(note, mention) if note else _resolved(mention, said_at, direction)
        keep = returning or mention.form not in _ONCE or _repeats(mention, flat)
        flat = flat[: mention.start] + (mention.text if keep else dated) + flat[note.end() if note else mention.end :]
    return flat


_LONGEST: Final = 1_000  # characters; a longer text is no single statement
_YEARLY = re.compile(r"\b(?:birthday|bday|anniversary|born|every year|each year|annually|yearly|christmas)\b", re.I)
_NOTE = re.compile(r"\s*\((?:in |week of )?((?:\d{4}(?:-\d\d){0,2}|Q[1-4] \d{4}|[A-Z][a-z]+ \d{4}))\)")
_EVERY: Final = re.compile(r"\b(?:every|each|most|any|some|on)\s+$", re.IGNORECASE)
_ONCE: Final = frozenset({"day", "month", "quarter", "weekday", "relative", "distance"})


def _annotated(note: re.Match[str], mention: Mention) -> str:
    return note[1] + _of_day(mention)


def _resolved(mention: Mention, said_at: datetime | None, direction: Direction) -> str:
    iso = iso_date(mention, said_at.date(), direction) if said_at else None
    return iso + _of_day(mention) if iso else mention.text


def _of_day(mention: Mention) -> str:
    return f" in the {mention.part}" if mention.part else ""


def _repeats(mention: Mention, text: str) -> bool:
    """`every Tuesday`, `on Sundays`."""
    before = _EVERY.search(text[: mention.start])
    plural = mention.form == "weekday" and mention.text.lower().rstrip(".").endswith("days")
    return plural or bool(before and not before[0].lower().startswith("on"))
