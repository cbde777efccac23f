"""Asks the date resolver whether words can mean a day or a time."""

from datetime import date, datetime, tzinfo
from zoneinfo import ZoneInfo

from tellonce_text.dates import admission
from tellonce_text.dates.alarms import rings
from tellonce_text.dates.readings import Said
from tellonce_text.dates.regions import region_of
from tellonce_text.dates.resolver import expressions

_DAY_ENDS = ((0, 0), (23, 59))
"""Times that stand for a whole day, so nobody needs to have said them."""


def admits(text: str, said_at: datetime, zone: tzinfo, moment: date | datetime, /) -> bool:
    """Whether words said at that time in that zone can mean this day or time, in the past or the future."""
    assert isinstance(zone, ZoneInfo)  # the user's zone is an IANA zone
    said = Said(said_at, zone, region_of(zone))
    if not isinstance(moment, datetime):
        return admission.admits(text, moment, said)
    local = moment.astimezone(zone)
    if (local.hour, local.minute) in _DAY_ENDS and admission.admits(text, local.date(), said):
        return True
    readings = (reading for found in expressions(text, said) for reading in found.readings)
    return any(reading.start <= moment < reading.end for reading in readings) or rings(text, said, moment)
