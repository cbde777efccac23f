"""Cursors for lists that begin with the newest entry: the list of memories, the list of summaries, and the lists of the
page."""

import re
from datetime import UTC, datetime

from tellonce_server.core.errors import Refused
from tellonce_server.store.page import FIRST_PAGE, Position


def cursor_of(moment: datetime, number: int) -> str:
    """The cursor that continues after the last entry of a page. `moment` is the time of that entry, and `number` is its
    id."""
    return f"{moment.astimezone(UTC):%Y%m%dT%H%M%S%f}.{number}"


def place_of(cursor: str | None) -> Position:
    """The time and id of the previous page's last entry. Without a cursor, the position before the first entry of the
    list. Raises Refused for an invalid cursor."""
    if cursor is None:
        return FIRST_PAGE
    moment, _, number = cursor.partition(".")
    try:
        if re.fullmatch(r"[0-9]{1,18}", number):
            return datetime.strptime(moment, "%Y%m%dT%H%M%S%f").replace(tzinfo=UTC), int(number)
    except ValueError:
        pass
    raise Refused("That is not a cursor of this tool; use next_cursor of the previous page.", "call")
