"""Adds dates after the relative words of a text: `last Saturday (2023-05-20)`.

A date is added only if it is certain and was not added before. Code and full dates stay unchanged.
"""

import re
from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from tellonce_text.dates.readings import DAY, Expression, Reading, Said
from tellonce_text.dates.resolver import expressions

_CODE: Final = re.compile(r"```.*?(?:```|\Z)|`[^`\n]+`", re.DOTALL)
_NOTED: Final = re.compile(r"\s*[(\[]\s*(?:about |around |in |on |week of |Q[1-4]\s*)*(?:\w+ )?\d")
"""Matches a date in brackets after an expression. Such an expression is already annotated."""


def annotated(text: str, said: Said) -> str:
    """Return the text with a date after each expression whose days are known. The word "about" is added before the date
    of an approximate expression, such as `two weeks ago`."""
    code = [match.span() for match in _CODE.finditer(text)] if "`" in text else []
    pieces: list[str] = []
    written = 0
    for found in expressions(text, said):
        known = known_reading(found)
        if known is None or _NOTED.match(text, found.end) or any(a <= found.start < b for a, b in code):
            continue
        pieces += (text[written : found.end], f" ({'about ' * found.approximate}{_label(known)})")
        written = found.end
    return "".join((*pieces, text[written:]))


def possible_readings(found: Expression) -> Sequence[Reading]:
    """The readings (possible meanings) of an expression, in order of time. If the expression's days are known, there is
    one reading. Otherwise, the result contains the longest reading that overlaps the best reading. If other readings do
    not overlap the best reading, the result also contains the first of them. Empty if the text already gives the date,
    or names no date."""
    known = known_reading(found)
    if known or found.absolute or found.best is None:
        return (known,) if known else ()
    best = found.best
    apart = [other for other in found.readings if other.end <= best.start or other.start >= best.end]
    widest = max((one for one in found.readings if one not in apart), key=lambda one: one.end - one.start, default=best)
    return sorted((widest, *apart[:1]), key=lambda reading: reading.start)


def known_reading(found: Expression) -> Reading | None:
    """The reading of an expression; None if its days are not known or the text already gives the date. For an
    approximate week, as in `two weeks ago`, the reading is the day in the middle of the week."""
    best = found.best
    if best is None or found.absolute or not (found.certain or found.approximate) or (found.timed and best.slack):
        return None
    if not found.approximate or best.precision != "week":
        return best
    first, last = best.days
    middle = best.start + (last - first) / 2
    return Reading(middle, middle + DAY, "day")


def _label(reading: Reading) -> str:
    """Format a reading as `2026-03-15`, `2026-03-15 15:00`, `2026-03`, `2026` or `2026-03-02 to 2026-03-08`."""
    first, last = reading.days
    if reading.precision == "instant":
        return f"{reading.start:%Y-%m-%d %H:%M}"
    if first == last:
        return first.isoformat()
    if first.day == 1 and (last + timedelta(days=1)).day == 1:
        if (first.year, first.month) == (last.year, last.month):
            return f"{first:%Y-%m}"
        if (first.month, last.month) == (1, 12):
            return f"{first.year}" if first.year == last.year else f"{first.year} to {last.year}"
        return f"{first:%Y-%m} to {last:%Y-%m}"
    return f"{first.isoformat()} to {last.isoformat()}"
