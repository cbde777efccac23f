"""Quotes a person's words, with the days that the words name."""

import re
from datetime import datetime, time
from functools import cache
from itertools import pairwise, zip_longest
from zoneinfo import ZoneInfo

from tellonce_relay.catalogue import LANGUAGES, clock, day, entries, phrase
from tellonce_relay.views import flat
from tellonce_text.dates.annotation import possible_readings
from tellonce_text.dates.readings import Expression, Reading, Said
from tellonce_text.dates.resolver import expressions
from tellonce_text.dates.zones import region_of
from tellonce_text.sentences import split_sentences


def quoted(words: str, said_at: datetime | None, now: datetime, zone: ZoneInfo) -> str:
    """The words in quotation marks. Days follow their sentence, and are forgotten together with it. No days follow if
    it is not known when the words were said."""
    if said_at is None:
        return phrase("offline.quote", text=words)
    parts = [(sentence, _days_in(sentence, said_at, now.astimezone(zone), zone)) for sentence in split_sentences(words)]
    if not any(days for _, days in parts):
        return phrase("offline.quote", text=words)
    return " ".join(
        phrase("offline.quote", text=sentence.rstrip(".!。！") if days else sentence) + days for sentence, days in parts
    )


def _days_in(words: str, said_at: datetime, now: datetime, zone: ZoneInfo) -> str:
    """Days such as ` (next Tuesday: Tue, Nov 24)`. `≈` marks a vague count. Ambiguous days are left out."""
    said = Said(said_at, zone, region_of(zone))
    found = expressions(words, said)
    taken_back = [_taken_back().match(words[one.end : after.start]) for one, after in pairwise(found)]
    stands = [one for one, back in zip_longest(found, taken_back) if not back]
    relative = (one for one in stands if not _is_date_of(now.year, one))
    named = ((one, possible_readings(one)) for one in relative)
    days = [f"{flat(one.text)}: {_span(one, its[0], now)}" for one, its in named if len(its) == 1]
    # The dots are removed, because a dot (German `13. Feb.`) would look like the end of the sentence.
    return f" ({'; '.join(days)})".replace(".", "") if days else ""


@cache
def _taken_back() -> re.Pattern[str]:
    """Matches the words of `on the 3rd, no wait, on the 4th` that take the first date back."""
    words = "|".join(re.escape(word) for language in LANGUAGES for word in entries(language)["offline.taken_back"])
    return re.compile(rf"\s*[,;.…–—(-]+\s*(?:\w+\s+)?(?:{words})(?!\w)", re.IGNORECASE)


def _is_date_of(year: int, found: Expression) -> bool:
    starts = {(reading.start.month, reading.start.day) for reading in found.readings}
    return len(starts) == 1 < len(found.readings) and found.readings[0].start.year == year


def _span(found: Expression, reading: Reading, now: datetime) -> str:
    first, last = reading.days
    if first != last:
        return "–".join(day(datetime.combine(at, time()), now) for at in (first, last))
    casual = found.approximate or reading.slack
    at = ("≈ " if casual else "") + day(datetime.combine(first, time()), now, weekday=True)
    return f"{at}, {clock(reading.start)}" if found.timed else at
