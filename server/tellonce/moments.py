"""Times as arguments: with an offset, or in the time zone of the user, which only the server knows."""

import re
from datetime import datetime
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime, BeforeValidator, ValidationInfo

ZONE = "zone"
"""The key in a validation context of the time zone for times without an offset."""


def _on_a_clock(moment: datetime, info: ValidationInfo) -> datetime:
    if moment.tzinfo is not None:
        return moment
    zone = (info.context or {}).get(ZONE)
    if zone is None:
        raise ValueError("needs its UTC offset, as in 2026-03-15T09:00:00+08:00")
    return moment.replace(tzinfo=zone)


def _in_calendar(moment: datetime) -> datetime:
    """Refuse years that Python and PostgreSQL cannot both represent (1 to 9999), with a margin of one year for time
    zones."""
    if not 1 < moment.year < 9999:
        raise ValueError("is no year anybody lives in")
    return moment


def _to_its_end(written: object) -> object:
    """A bare day given as an end includes the whole day."""
    is_day = isinstance(written, str) and re.fullmatch(r"\d{4}-\d{2}-\d{2}", written) is not None
    return f"{written}T23:59:59.999999" if is_day else written


Instant = Annotated[AwareDatetime, AfterValidator(_in_calendar)]
Moment = Annotated[datetime, AfterValidator(_on_a_clock), AfterValidator(_in_calendar)]
"""A time given by a person. The server reads one without an offset in the user's zone: `2026-03-15` is the user's day.
"""
End = Annotated[Moment, BeforeValidator(_to_its_end)]
