"""The grammar rules for days, each with the tokens that can begin the rule's phrase. If several rules match, the
longest match is used."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Final

from tellonce_text.dates.calendar_days import day_of_month, month_day, numbered_day, stamp
from tellonce_text.dates.calendar_spans import feast, month, nth_of_month, quarter, season, week_number
from tellonce_text.dates.counted_phrases import ago, ahead, fridays_ago, window
from tellonce_text.dates.han_days import han_day
from tellonce_text.dates.neighbor_phrases import anchored, edge, half
from tellonce_text.dates.numeric_dates import numeric
from tellonce_text.dates.phrases import Phrase, Rule, longer
from tellonce_text.dates.tokens import Line
from tellonce_text.dates.unit_phrases import day_word, same_time, unit_step
from tellonce_text.dates.weekday_phrases import weekday
from tellonce_text.dates.years import year

_COUNTS: Final = frozenset({"number", "one", "vague"})
_RULES: Final[tuple[tuple[Rule, frozenset[str]], ...]] = (
    (stamp, frozenset({"stamp"})),
    (han_day, frozenset({"han"})),
    (numeric, frozenset({"numeric", "weekday"})),
    (month_day, frozenset({"step", "weekday", "month", "number", "ordinal", "article", "unit"})),
    (nth_of_month, frozenset({"article", "ordinal", "number"})),
    (day_of_month, frozenset({"weekday", "article", "number", "ordinal", "unit"})),
    (numbered_day, frozenset({"on", "contracted", "number"})),
    (feast, frozenset({"feast", "step"})),
    (quarter, frozenset({"article", "ordinal", "word"})),
    (month, frozenset({"month", "step"})),
    (week_number, frozenset({"week_number"})),
    (season, frozenset({"season", "step", "article"})),
    (year, frozenset({"number", "mark", "tens"})),
    (day_word, frozenset({"article", "day"})),
    (ago, _COUNTS | {"ago_before", "ago_that", "unit"}),
    (ahead, _COUNTS | {"in"}),
    (fridays_ago, _COUNTS),
    (window, frozenset({"article", "step", "ordinal", "within"})),
    (unit_step, frozenset({"article", "step", "unit"})),
    (same_time, frozenset({"same_time", "article", "step", "unit", "day"})),
    (weekday, frozenset({"article", "step", "weekday"})),
)
"""Each rule, with the kinds and tags of the tokens that can begin the rule's phrase."""
_NestingRule = Callable[[Line, int, Rule], Phrase | None]
_NESTING_RULES: Final[tuple[tuple[_NestingRule, frozenset[str]], ...]] = (
    (edge, frozenset({"article", "edge"})),
    (half, frozenset({"article", "ordinal"})),
    (anchored, _COUNTS | {"in", "article", "weekday", "unit", "eve", "morrow"}),
)
_DEEPEST: Final = 3
"""Maximum nesting of expressions, as in `the week after the first Monday of March`."""


_FIRST_YEAR: Final = 1500
_BEGINNINGS: Final = frozenset(
    "weekday weekdays month day unit season feast step ordinal number vague one same_time article contracted edge"
    " ago_before ago_that in within every daily for since at from between half half_before quarter_hour noon part"
    " week_number tens eve morrow beside_day".split()
)
_OTHER_BEGINNINGS: Final = frozenset({"q1", "q2", "q3", "q4", "h1", "h2", "during"})
_MARKS: Final = frozenset("'@")


def phrase_at(line: Line, index: int, depth: int = 0) -> Phrase | None:
    """The longest phrase that begins at this token and names days, or None."""
    if depth > _DEEPEST or not may_begin(line, index):
        return None

    def parent(of: Line, at: int) -> Phrase | None:
        return phrase_at(of, at, depth + 1)

    plain, nesting = _rules_for(frozenset({line[index].kind, *line[index].tags}))
    return longer(*(rule(line, index) for rule in plain), *(rule(line, index, parent) for rule in nesting))


@cache
def _rules_for(begins: frozenset[str]) -> tuple[Sequence[Rule], Sequence[_NestingRule]]:
    plain = tuple(rule for rule, first in _RULES if not first.isdisjoint(begins))
    return plain, tuple(rule for rule, first in _NESTING_RULES if not first.isdisjoint(begins))


def may_begin(line: Line, index: int) -> bool:
    """Whether an expression may begin with the token. This is decided for each token, so it must be fast."""
    token = line[index]
    if token.kind == "number":
        following = line[index + 1]
        alone = not following.tags and following.kind != "mark" and not token.suffix
        return not alone or (token.value or 0) >= _FIRST_YEAR or line[index - 1].has("years")
    if token.kind == "word":
        return not _BEGINNINGS.isdisjoint(token.tags) or token.word in _OTHER_BEGINNINGS
    return token.kind != "mark" or token.word in _MARKS
