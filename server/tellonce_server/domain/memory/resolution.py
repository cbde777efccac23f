"""What a person's words can mean: a day, a time, and the numbers that follow from them."""

from collections.abc import Iterator
from datetime import date, datetime, timedelta, tzinfo
from typing import Final
from zoneinfo import ZoneInfo

from tellonce_server.domain.memory import literals
from tellonce_text.dates import meanings
from tellonce_text.dates.alarms import rings
from tellonce_text.dates.readings import Reading, Said
from tellonce_text.dates.resolver import expressions
from tellonce_text.dates.zones import region_of

_DAY_ENDS = ((0, 0), (23, 59))
"""Times that stand for a whole day, so nobody needs to have said them."""


def admits(text: str, said_at: datetime, zone: tzinfo, moment: date | datetime, /) -> bool:
    """Whether words said at that time in that zone can mean this day or time, in the past or the future."""
    assert isinstance(zone, ZoneInfo)  # the user's zone is an IANA zone
    said = Said(said_at, zone, region_of(zone))
    if not isinstance(moment, datetime):
        return meanings.admits(text, moment, said)
    local = moment.astimezone(zone)
    if (local.hour, local.minute) in _DAY_ENDS and meanings.admits(text, local.date(), said):
        return True
    readings = (reading for found in expressions(text, said) for reading in found.readings)
    return any(reading.start <= moment < reading.end for reading in readings) or rings(text, said, moment)


try:
    from text_to_num import alpha2digit
except ImportError:
    # The library has no wheel for Intel Macs; there, "three" does not support a 3 in a statement.
    def alpha2digit(text: str, lang: str, threshold: float = 3.0) -> str:
        return text


LANGUAGES: Final = ("en", "de", "fr", "es", "pt", "it", "nl", "da")
"""Languages whose number words the library reads. The language of a text is unknown, so each is tried."""

MOST: Final = 2_000
"""Characters of a quote that are searched for numbers, which is the maximum length of a quote: about 30 ms at worst."""

WEEK: Final = 7
"""Days of a span whose single days a statement may name; of a longer span only its months and years."""


def numbers_following(text: str, said_at: datetime, zone: tzinfo) -> frozenset[str]:
    """Digits for number words, for the parts of every day and time the words can mean, and for the year in which they
    were said."""
    assert isinstance(zone, ZoneInfo)  # the user's zone is an IANA zone
    head = text[:MOST]
    spelled = (literals.said_numbers(alpha2digit(head, language, 0)) for language in LANGUAGES)
    said = Said(said_at, zone, region_of(zone))
    named = (part for found in expressions(head, said) for reading in found.readings for part in _parts(reading))
    return frozenset[str]().union(*spelled).union(named, (str(said_at.astimezone(zone).year),))


def _parts(reading: Reading) -> Iterator[str]:
    first, last = reading.days
    length = (last - first).days + 1
    named = [first + timedelta(days=number) for number in range(length)] if length <= WEEK else [first, last]
    for day in named:
        yield from (str(day.year), str(day.month), *((str(day.day),) if length <= WEEK else ()))
    if reading.precision == "instant":
        at = reading.start
        yield from (str(at.hour), str(at.hour % 12 or 12), str(at.minute))
