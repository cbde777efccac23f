"""What the memories ask of the date resolver: whether words can mean a day or a moment."""

from datetime import date, datetime, tzinfo
from zoneinfo import ZoneInfo

from chatmem_text.dates import admission
from chatmem_text.dates.readings import Said
from chatmem_text.dates.resolver import expressions


def admits(text: str, said_at: datetime, zone: tzinfo, moment: date | datetime, /) -> bool:
    """Whether words said at that moment in that zone can name this day or moment, looking forward or back."""
    assert isinstance(zone, ZoneInfo)  # the user's zone is an IANA one
    said = Said(said_at, zone)
    if not isinstance(moment, datetime):
        return admission.admits(text, moment, said)
    return any(reading.start <= moment < reading.end for found in expressions(text, said) for reading in found.readings)
