"""Moments as arguments: with an offset, or meant on the clock of the user, whom only the server knows."""

import re
from datetime import datetime
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime, BeforeValidator, ValidationInfo

ZONE = "zone"
"""Name, in a validation's context, of the time zone in which a moment without an offset is meant."""


def _on_a_clock(moment: datetime, info: ValidationInfo) -> datetime:
    if moment.tzinfo is not None:
        return moment
    zone = (info.context or {}).get(ZONE)
    if zone is None:
        raise ValueError("needs its UTC offset, as in 2026-03-15T09:00:00+08:00")
    return moment.replace(tzinfo=zone)


def _in_calendar(moment: datetime) -> datetime:
    """Python and PostgreSQL count years 1 to 9999; a year is left at either end, because zones differ."""
    if not 1 < moment.year < 9999:
        raise ValueError("is no year anybody lives in")
    return moment


def _to_its_end(written: object) -> object:
    """A day alone, as an end, is meant whole."""
    is_day = isinstance(written, str) and re.fullmatch(r"\d{4}-\d{2}-\d{2}", written) is not None
    return f"{written}T23:59:59.999999" if is_day else written


Instant = Annotated[AwareDatetime, AfterValidator(_in_calendar)]
Moment = Annotated[datetime, AfterValidator(_on_a_clock), AfterValidator(_in_calendar)]
"""A moment a person means; the server takes one without an offset on the user's clock: `2026-03-15` is their day."""
End = Annotated[Moment, BeforeValidator(_to_its_end)]
