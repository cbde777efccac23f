"""Compares the units of two texts: `75 milligrams` is not `75 micrograms`, `ten months` is not `ten weeks`, and a rate
per day is not a rate per week. A unit that is not known is not compared. Pure."""

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from tellonce_server.domain.memory import literals
from tellonce_text.dates.phrases import count_at
from tellonce_text.dates.tokens import Line, line_of


class Measures(NamedTuple):
    """The measures of a text, each with its number and unit, and the units of time of its rates."""

    amounts: frozenset[tuple[str, str]]
    rates: frozenset[str]


def measures(text: str) -> Measures:
    line = line_of(text) or Line(text, (), "")
    return Measures(frozenset((*_lengths_of_time(line), *_metric(text))), frozenset(_rates(line)))


def changed(claim: str, said: Iterable[str]) -> list[str]:
    """The numbers and the units of time in the claim that the texts `said` give with other units only."""
    claimed, parts = measures(claim), [measures(text) for text in said]
    amounts = frozenset[tuple[str, str]]().union(*(part.amounts for part in parts))
    rates = frozenset[str]().union(*(part.rates for part in parts))
    numbers = {number for number, _ in amounts}
    found = [f"{number} {unit}" for number, unit in sorted(claimed.amounts - amounts) if number in numbers]
    other_rate = claimed.rates and rates and claimed.rates.isdisjoint(rates)
    return [*found, *(sorted(claimed.rates) if other_rate else ())]


def _lengths_of_time(line: Line) -> Iterator[tuple[str, str]]:
    for index in range(len(line)):
        count = count_at(line, index)
        unit = line[count.end + (line[count.end].word == "-")].get("unit") if count else None
        if count and count.exact and unit and not line[index].has("one"):
            yield str(count.value), unit


def _rates(line: Line) -> Iterator[str]:
    """The units of rates such as `200 a week` or `pro Tag`."""
    for index in range(len(line)):
        before, two_before = line[index - 1], line[index - 2]
        led = before.has("one") or before.has("every") or before.word in _PER
        counted = any(two_before.has(tag) for tag in _COUNTING) or any(line[index + 1].has(tag) for tag in _COUNTING)
        if led and not counted and line[index].get("unit") in _RATED:
            yield line[index].get("unit")


_PER: Final = frozenset("per pro por par al /".split())
_COUNTING: Final = ("in", "within", "ago", "ago_before", "for", "since", "hence", "from", "half", "after")
"""Tags of words that make `a week` a length of time and not a rate."""
_RATED: Final = frozenset({"hour", "day", "week", "month", "year"})

_UNITS: Final = {
    "mcg": "mcg|[µμ]g|mi[ck]rogr|микрогр|мкг",
    "mg": "mg|mill?igr|миллигр|мг",
    "kg": "kg|kilos?(?![a-z])|kilogr|килогр|кг",
    "g": "g|gr(?:am|amm|ammi|amme|amo)?s?(?![a-z])|грамм|г",
    "km": "km|kilom|quil[oô]m|chilom|километр|км",
    "cm": "cm|[cz]ent[ií]m|сантиметр|см",
    "mm": "mm|mill?[ií]m|миллиметр|мм",
    "m": "m|m[eè]t(?:er|re|ro)|метр|м",
    "ml": "ml|mill?ilit|миллилитр|мл",
    "l": "l|lit(?:er|re|ro)|литр|л",
}
"""For each metric unit, how a word begins that names it; a symbol is the whole word."""
_MEASURE: Final = re.compile(
    r"(\d+(?:[.,]\d+)?) ?(?:" + "|".join(f"(?P<{unit}>(?:{forms}))" for unit, forms in _UNITS.items()) + r")(\w*)",
    re.IGNORECASE,
)
_LONGEST_SYMBOL: Final = 3


def _metric(text: str) -> Iterator[tuple[str, str]]:
    for match in _MEASURE.finditer(literals.plain(text)):
        unit = match.lastgroup or ""
        named = next((name for name in _UNITS if match[name]), unit)
        symbol = len(match[named]) <= _LONGEST_SYMBOL
        if not (symbol and match[match.lastindex or 0]):
            yield match[1], named
