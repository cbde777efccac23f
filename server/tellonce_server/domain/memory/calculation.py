"""Decides whether numbers and days can be calculated from a person's numbers and days, and compares units. `75
milligrams` is not `75 micrograms`, and `$40` is not `40 €`. Pure."""

import re
from collections.abc import Collection, Iterable, Iterator
from datetime import date
from itertools import islice, product
from math import isclose
from typing import Final

from tellonce_server.domain.memory import literals

MOST_NUMBERS: Final = 40
"""At most this many of the numbers that a person said are combined in calculations."""

MOST_DAYS: Final = 20
"""At most this many of the days that a person named are combined with ages."""

_LONGEST_NUMBER: Final = 12
"""Maximum characters of a number in a calculation. Longer numbers are identifiers, such as telephone numbers."""

LEAST_AGE: Final = 3
"""The smallest number that may be an age. Smaller numbers are mostly parts of dates."""

LONGEST_AGE: Final = 150


def values(written: Iterable[str]) -> frozenset[float]:
    """The values of these numbers, without identifiers."""
    return frozenset(float(number) for number in written if len(number) <= _LONGEST_NUMBER)


def is_calculated(value: float, said: Collection[float], stated: Collection[float]) -> bool:
    """Whether the value is the sum, difference, product, quotient or percentage of two numbers in `said`. The claim
    must also state one of the two (`stated`). Otherwise almost every small number would be the result of some
    calculation."""
    firsts = [number for number in sorted(said) if number in stated and number != value][:MOST_NUMBERS]
    pairs = product(firsts, sorted(said)[:MOST_NUMBERS])
    return any(isclose(result, value) for one, other in pairs for result in _results(one, other))


def _results(one: float, other: float) -> Iterator[float]:
    yield from (one + other, abs(one - other), one * other, one * other / 100)
    for whole, part in ((one, other), (other, one)):
        if part:
            yield from (whole / part, 100 * whole / part)


def is_counted_day(day: date, parts: int, days: Iterable[date], numbers: Iterable[float]) -> bool:
    """Whether `day` is some number of years before or after one of `days`. The number must be one of `numbers` and a
    possible age. Only the first `parts` values of year, month and day are compared."""
    ages = [int(number) for number in numbers if LEAST_AGE <= number <= LONGEST_AGE and number == int(number)]
    wanted = (day.year, day.month, day.day)[:parts]
    return any(
        (anchor.year + offset, anchor.month, anchor.day)[:parts] == wanted
        for anchor in islice(days, MOST_DAYS)
        for age in ages[:MOST_NUMBERS]
        for offset in (age, -age)
    )


MOST_MEASURED: Final = 2_000
"""Maximum characters of a text that are searched for measures. The contract limits quotes to the same length."""


def changed_units(claim: str, said: Iterable[str]) -> list[str]:
    """The measures of the claim that have another unit in `said`. For the claim `75 milligrams` and the text `75
    micrograms`, the result is `75 mg`."""
    there = frozenset(measure for text in said for measure in _measures(text))
    measured = {number for number, _ in there}
    return [f"{number} {unit}" for number, unit in sorted(set(_measures(claim)) - there) if number in measured]


_UNITS: Final = {
    "mcg": "mcg|[µμ]g|mi[ck]rogr|микрогр|мкг",
    "mg": "mg|mill?igr|миллигр|мг",
    "kg": "kg|kilos?(?![a-z])|kilogr|килогр|кг",
    "g": "g|gr(?:am|amm|ammi|amme|amo)?s?(?![a-z])|грамм|г",
    "lb": "lbs?|pounds?|pfund|libras?|libbr|livres?|фунт|£",
    "eur": "€|euros?(?![a-z])|eur|евро",
    "usd": "\\$|dollars?|d[oó]lar|dollar|долл",
}
"""For each weight and currency, the possible beginnings of its words. A symbol such as `mg` must be the whole word. A
pound may be money or weight."""
_CURRENCIES: Final = {"€": "eur", "$": "usd", "£": "lb"}
_PRICE: Final = re.compile(r"([€$£]) ?(\d{1,9}(?:[.,]\d{1,4})?)")
_MEASURE: Final = re.compile(
    r"(?<![\d.,])(\d{1,9}(?:[.,]\d{1,4})?) ?(?:"
    + "|".join(f"(?P<{unit}>(?:{forms}))" for unit, forms in _UNITS.items())
    + r")(?P<rest>\w*)",
    re.IGNORECASE,
)
_LONGEST_SYMBOL: Final = 3


def _measures(text: str) -> Iterator[tuple[str, str]]:
    for match in _MEASURE.finditer(literals.plain(text[:MOST_MEASURED])):
        unit = next(name for name in _UNITS if match[name])
        is_symbol = len(match[unit]) <= _LONGEST_SYMBOL
        if not (is_symbol and match["rest"]):
            yield match[1], unit
    for sign, number in _PRICE.findall(text[:MOST_MEASURED]):
        yield number, _CURRENCIES[sign]
