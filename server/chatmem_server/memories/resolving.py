"""What the memories ask of the date resolver: whether words can mean a day or a moment."""

from datetime import date, datetime, tzinfo
from zoneinfo import ZoneInfo

from chatmem_text.dates.readings import Said
from chatmem_text.dates.resolver import expressions


def admits(text: str, said_at: datetime, zone: tzinfo, moment: date | datetime, /) -> bool:
    """Whether words said at that moment in that zone can name this day or moment, looking forward or back."""
    assert isinstance(zone, ZoneInfo)  # the user's zone is an IANA one
    readings = [reading for found in expressions(text, Said(said_at, zone)) for reading in found.readings]
    if isinstance(moment, datetime):
        return any(reading.start <= moment < reading.end for reading in readings)
    return any(reading.days[0] <= moment <= reading.days[1] for reading in readings)
