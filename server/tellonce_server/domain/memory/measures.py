"""Compares the units of two texts: `75 milligrams` is not `75 micrograms`, and `$40` is not `40 €`. Units that are not
known are not compared. Pure."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from tellonce_server.domain.memory import literals

MOST: Final = 2_000
"""Maximum characters of a text that are searched for measures. The contract limits quotes to the same length."""


def changed(claim: str, said: Iterable[str], timed: Iterable[str]) -> list[str]:
    """The numbers in the claim that have another unit in the texts `said`. Each number is returned with its unit in the
    claim. `timed` are the numbers that have a unit of time in these texts: `70 min away` is not `70 miles away`."""
    there = frozenset(measure for text in said for measure in _measures(text))
    measured, counted = {number for number, _ in there}, frozenset(timed)
    return [
        f"{number} {unit}"
        for number, unit in sorted(set(_measures(claim)) - there)
        if number in measured or (number in counted and unit not in _PRICED)
    ]


_PRICED: Final = frozenset(("eur", "usd", "lb"))
"""Units of prices. A price may also be given for a unit of time: `$40 a month`."""
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
    "mi": "mi|miles?(?![a-z])|meil|mill(?:as?|es?)(?![a-z])|migli|милю|миль|мил[ия]",
    "lb": "lbs?|pounds?|pfund|libras?|libbr|livres?|фунт|£",
    "eur": "€|euros?(?![a-z])|eur|евро",
    "usd": "\\$|dollars?|d[oó]lar|dollar|долл",
}
"""For each unit, the possible beginnings of a word that names the unit. A symbol such as `mg` must be the whole word. A
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
    for match in _MEASURE.finditer(literals.plain(text[:MOST])):
        unit = next(name for name in _UNITS if match[name])
        is_symbol = len(match[unit]) <= _LONGEST_SYMBOL
        if not (is_symbol and match["rest"]):
            yield match[1], unit
    for sign, number in _PRICE.findall(text[:MOST]):
        yield number, _CURRENCIES[sign]
