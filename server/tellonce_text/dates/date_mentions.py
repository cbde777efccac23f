"""Finds the time expressions of a text without determining their days: `March 15`, `last week`, `Q2 2026`, `3 days
ago`.

The patterns cover English and the most common words of other languages. This module reads no clock, so it cannot tell
which day "yesterday" is; `dates.resolver` can.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, Literal

Form = Literal[
    "day", "month", "year", "quarter", "season", "weekday", "relative", "distance", "window", "clock", "part"
]


@dataclass(frozen=True, slots=True)
class Mention:
    """One expression. `offset` is a number of `unit`s from now: yesterday has the unit day and the offset -1."""

    start: int
    end: int
    text: str
    form: Form
    year: int | None = None
    month: int | None = None
    day: int | None = None
    last_day: int | None = None  # the last day of a range such as March 15–17
    weekday: int | None = None  # Monday is 0
    unit: str | None = None
    offset: int | None = None
    hour: int | None = None
    minute: int | None = None
    part: str | None = None  # morning, afternoon, evening, night


def keys(mentions: Iterable[Mention]) -> frozenset[str]:
    """Keys for comparing expressions. Different spellings of the same expression have the same key."""
    return frozenset(_key(*meaning) for meaning in set(map(_meaning, mentions)))


def _meaning(m: Mention) -> tuple[str | int | None, ...]:
    return (m.form, m.year, m.month, m.day, m.last_day, m.weekday, m.unit, m.offset, m.part, m.hour, m.minute)


def _key(*meaning: str | int | None) -> str:
    *fields, part, hour, minute = meaning
    clock = None if hour is None else f"{hour:02d}:{minute or 0:02d}"
    return ":".join("" if field is None else str(field) for field in (*fields, clock, part))


def find(text: str) -> list[Mention]:
    """The expressions in the text, in order. If two expressions overlap, only the more specific expression is
    returned."""
    if not (_DIGIT.search(text) or _TRIGGER.search(text)):
        return []
    found: list[Mention] = []
    taken = bytearray(len(text))
    folded = text.translate(_DOTS).casefold()
    lacking = {fragment for fragment, words in _WORDS_OF.items() if not any(word in folded for word in words)}
    for pattern, build, fragments in _GRAMMAR:
        if not lacking.isdisjoint(fragments):
            continue
        for match in pattern.finditer(text):
            mention = build(match) if taken.find(1, *match.span()) < 0 else None
            if mention:
                taken[mention.start : mention.end] = b"\x01" * (mention.end - mention.start)
                found.append(mention)
    return sorted(found, key=lambda mention: mention.start)


MONTH_NUMBER: Final = {
    name: number
    for number, names in enumerate(
        ("january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
         "september sept sep", "october oct", "november nov", "december dec"), start=1)
    for name in names.split()
}  # fmt: skip
WEEKDAY_NUMBER: Final = {
    name: number
    for number, names in enumerate(
        ("monday mon", "tuesday tues tue", "wednesday wed", "thursday thurs thur thu", "friday fri", "saturday sat",
         "sunday sun"))
    for name in names.split()
}  # fmt: skip
NUMBER_WORD: Final = {
    word: number
    for number, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
            "twenty",
        ]
    )
} | {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
_COUNT_WORD: Final = NUMBER_WORD | {"a": 1, "an": 1, "couple": 2, "a couple": 2, "a couple of": 2, "couple of": 2,
                                    "a few": 3, "few": 3, "several": 5}  # fmt: skip
_STEP: Final = {"last": -1, "past": -1, "previous": -1, "this": 0, "current": 0, "next": 1, "coming": 1, "upcoming": 1}
_DAY_WORD: Final = {
    "today": 0, "tonight": 0, "yesterday": -1, "tomorrow": 1, "tmrw": 1, "tommorow": 1, "tommorrow": 1, "tomorow": 1, "the day before yesterday": -2,
    "day before yesterday": -2, "the day after tomorrow": 2, "day after tomorrow": 2,
    "heute": 0, "gestern": -1, "vorgestern": -2, "übermorgen": 2, "aujourd'hui": 0, "hier": -1, "demain": 1,
    "hoy": 0, "ayer": -1, "anteayer": -2, "hoje": 0, "ontem": -1, "amanhã": 1, "oggi": 0, "ieri": -1, "domani": 1,
    "сегодня": 0, "вчера": -1, "завтра": 1, "позавчера": -2, "послезавтра": 2,
    "今天": 0, "昨天": -1, "明天": 1, "前天": -2, "后天": 2, "今日": 0, "昨日": -1, "明日": 1,
}  # fmt: skip
_SEASON_MONTH: Final = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}

_MONTH = r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
_WEEKDAY = r"(?P<weekday>(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?-i:Mon|Tues?|Wed|Thurs?|Thu|Fri|Sat|Sun)\b\.?)"
_YEAR = r"(?P<year>(?:19|20)\d\d)(?![\d-])"
_DAY = r"(?P<day>0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?"
_RANGE = r"(?:\s*(?:-|–|to|until)\s*(?P<last>0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?(?![\d:]))?"
_UNIT = r"(?P<unit>minute|hour|day|week|weekend|month|quarter|year)"
_COUNT = r"(?P<count>\d{1,4}|" + "|".join(sorted(map(re.escape, _COUNT_WORD), key=len, reverse=True)) + ")"
_DAY_WORDS = "|".join(sorted(_DAY_WORD, key=len, reverse=True)).replace(" ", r"\s+")
_STEP_WORD = r"(?P<step>last|past|previous|this|current|next|coming|upcoming)"

_DIGIT = re.compile(r"\d")
_TRIGGER = re.compile(
    r"\d\s*[-/.:年月ap]|(?:19|20)\d\d|o['’]?clock|day|night|noon|morning|evening|week|month|year|quarter|spring|summer|autumn|fall|winter|ago|[Qq][1-4]|hour|minute"
    r"|January|February|March|April|May\b|June|July|August|September|October|November|December"
    r"|(?i:\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b)"
    r"|\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
    r"|(?i:yesterday|tomorrow|christmas|halloween|valentine)|"
    + "|".join(word for word in _DAY_WORD if not word.endswith(("day", "night", "tomorrow")))
)
"""A text without digits is read only if this pattern matches. The pattern distinguishes `March` from `march`; in a text
with digits, `march 3` is a date."""


def _span(match: re.Match[str]) -> tuple[int, int, str]:
    return match.start(), match.end(), match[0]


def _word(match: re.Match[str], group: str) -> str:
    """The text of a group in lower case with single spaces; empty if the pattern has no such group or the group did not
    match."""
    found = match[group] if group in match.re.groupindex else None
    return " ".join(found.lower().split()) if found else ""


def _number(match: re.Match[str], group: str) -> int | None:
    return int(word) if (word := _word(match, group)) else None


def _month(match: re.Match[str]) -> int:
    return MONTH_NUMBER[match["month"].lower()[:3]]


def _weekday(match: re.Match[str]) -> int:
    return WEEKDAY_NUMBER[match["weekday"].lower()[:3]]


def _iso(match: re.Match[str]) -> Mention | None:
    month, day = int(match["m"]), int(match["d"])
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    return Mention(*_span(match), "day", year=int(match["y"]), month=month, day=day)


def _calendar_day(match: re.Match[str]) -> Mention:
    last = _number(match, "last")
    return Mention(
        *_span(match), "day", year=_number(match, "year"), month=_month(match), day=int(match["day"]), last_day=last
    )


def _holiday(match: re.Match[str]) -> Mention:
    month, day = _HOLIDAYS[match["holiday"].lower().replace("’", "'")]
    return Mention(*_span(match), "day", year=_number(match, "year"), month=month, day=day)


_HOLIDAYS: Final = {
    "christmas": (12, 25), "christmas day": (12, 25), "christmas eve": (12, 24), "new year's eve": (12, 31),
    "new year's day": (1, 1), "halloween": (10, 31), "valentine's day": (2, 14),
}  # fmt: skip


def _numeric(match: re.Match[str]) -> Mention | None:
    """Read 3/15/2026 and 15.3.2026. With a slash, the month is first unless it is over 12; with a dot, the day is
    first."""
    first, second, year = int(match["a"]), int(match["b"]), _number(match, "year")
    month, day = (second, first) if match["dot"] == "." or first > 12 else (first, second)
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    year = year + 2000 if year is not None and year < 100 else year
    return Mention(*_span(match), "day", year=year, month=month, day=day)


def _han_day(match: re.Match[str]) -> Mention | None:
    month, day = int(match["m"]), _number(match, "d")
    if not 1 <= month <= 12 or not 1 <= (day or 1) <= 31:
        return None
    return Mention(*_span(match), "day" if day else "month", year=_number(match, "y"), month=month, day=day)


def _calendar_month(match: re.Match[str]) -> Mention:
    offset = _STEP.get(_word(match, "step"))
    return Mention(*_span(match), "month", year=_number(match, "year"), month=_month(match), offset=offset)


def _quarter(match: re.Match[str]) -> Mention:
    return Mention(
        *_span(match), "quarter", year=_number(match, "year"), month=3 * int(match["quarter"]) - 2, unit="quarter"
    )


def _season(match: re.Match[str]) -> Mention:
    offset = _STEP.get(_word(match, "step"))
    month = _SEASON_MONTH[match["season"].lower()]
    return Mention(*_span(match), "season", year=_number(match, "year"), month=month, offset=offset)


def _named_weekday(match: re.Match[str]) -> Mention:
    offset = _STEP.get(_word(match, "step"))
    return Mention(*_span(match), "weekday", weekday=_weekday(match), offset=offset, part=_part(match))


def _part(match: re.Match[str]) -> str | None:
    return _word(match, "part") or None


def _day_word(match: re.Match[str]) -> Mention:
    word = _word(match, "word")
    part = "night" if word == "tonight" else _part(match)
    return Mention(*_span(match), "relative", unit="day", offset=_DAY_WORD[word], part=part)


def _this_part(match: re.Match[str]) -> Mention:
    offset = -1 if match["step"].lower() == "last" else 0
    return Mention(*_span(match), "relative", unit="day", offset=offset, part=match["part"].lower())


def _step(match: re.Match[str]) -> Mention:
    return Mention(*_span(match), "relative", unit=match["unit"].lower(), offset=_STEP[match["step"].lower()])


def _count(match: re.Match[str]) -> int:
    word = _word(match, "count")
    return int(word) if word.isdigit() else _COUNT_WORD[word]


def _ago(match: re.Match[str]) -> Mention:
    return Mention(*_span(match), "distance", unit=match["unit"].lower(), offset=-_count(match))


def _ahead(match: re.Match[str]) -> Mention:
    return Mention(*_span(match), "distance", unit=match["unit"].lower(), offset=_count(match))


def _window(match: re.Match[str]) -> Mention:
    sign = _STEP[match["step"].lower()] or 1
    return Mention(*_span(match), "window", unit=match["unit"].lower(), offset=sign * _count(match))


def _clock_12(match: re.Match[str]) -> Mention | None:
    hour, minute = int(match["h"]), int(match["m"] or 0)
    if not 1 <= hour <= 12 or minute > 59:
        return None
    return Mention(*_span(match), "clock", hour=hour % 12 + 12 * (match["half"].lower() == "p"), minute=minute)


def _clock_of_day(match: re.Match[str]) -> Mention | None:
    """Read `at 6 in the morning`. For `at night`, hours from six on are in the evening: `at 9 at night` is 21:00."""
    hour, minute = _hour(match), int(match["m"] or 0)
    if not 1 <= hour <= 12 or minute > 59:
        return None
    late = 6 <= hour < 12 if match["night"] else match["part"].lower() != "morning"
    return Mention(*_span(match), "clock", hour=hour % 12 + 12 * late, minute=minute)


def _clock_24(match: re.Match[str]) -> Mention:
    return Mention(*_span(match), "clock", hour=int(match["h"]), minute=int(match["m"]))


def _clock_word(match: re.Match[str]) -> Mention:
    return Mention(*_span(match), "clock", hour=12 if match["word"].lower() == "noon" else 0, minute=0)


def _oclock(match: re.Match[str]) -> Mention | None:
    hour = _hour(match)
    return Mention(*_span(match), "clock", hour=hour, minute=0) if hour <= 24 else None


def _hour(match: re.Match[str]) -> int:
    return int(match["h"]) if match["h"].isdigit() else NUMBER_WORD[match["h"].lower()]


def _part_of_day(match: re.Match[str]) -> Mention:
    return Mention(*_span(match), "part", part=match["part"].lower())


def _year(match: re.Match[str]) -> Mention:
    return Mention(*_span(match), "year", year=int(match["year"]))


_Rule = tuple[str, Callable[[re.Match[str]], Mention | None]]
_PART_TAIL = r"(?:\s+(?:in the\s+)?(?P<part>morning|afternoon|evening|night)\b)?"

# Where the matches of two rules overlap, the earlier rule in this list wins.
_RULES: Final[tuple[_Rule, ...]] = (
        (r"\b(?P<y>\d{4})[-/](?P<m>\d\d?)[-/](?P<d>\d\d?)(?![\d-])", _iso),
        (rf"\b{_MONTH}\s+(?:the\s+)?{_DAY}(?![\d:]){_RANGE}(?:,?\s+{_YEAR})?", _calendar_day),
        (
            rf"\b(?P<holiday>christmas(?: (?:eve|day))?|new year['’]s (?:eve|day)|halloween|valentine['’]s day)(?:,?\s+{_YEAR})?\b",
            _holiday,
        ),
        (rf"\b(?:the\s+)?{_DAY}{_RANGE}\s+(?:of\s+)?{_MONTH}(?:,?\s+{_YEAR})?", _calendar_day),
        (r"\b(?P<a>\d\d?)(?P<dot>[/.])(?P<b>\d\d?)(?P=dot)(?P<year>\d{4}|\d\d)\b(?![./]\d)", _numeric),
        (r"(?<=\bon )(?P<a>\d\d?)(?P<dot>/)(?P<b>\d\d?)(?![\d/])", _numeric),
        (r"(?:(?P<y>\d{4})年)?(?P<m>\d\d?)月(?:(?P<d>\d\d?)[日号])?", _han_day),
        (rf"\bQ(?P<quarter>[1-4])(?:\s*(?:of\s+|/|-)?\s*{_YEAR})?(?!\w)", _quarter),
        (rf"\b{_MONTH},?\s+(?:of\s+)?{_YEAR}", _calendar_month),
        (rf"\b(?:{_STEP_WORD}\s+)(?P<season>spring|summer|autumn|fall|winter)\b", _season),
        (rf"\b(?P<season>spring|summer|autumn|fall|winter)\s+(?:of\s+)?{_YEAR}", _season),
        (r"\b(?<=in )(?:the\s+)?(?P<season>spring|summer|autumn|winter)\b", _season),
        (rf"\b{_STEP_WORD}\s+{_COUNT}\s+{_UNIT}s?\b", _window),
        (rf"\b{_COUNT}\s+{_UNIT}s?\s+(?:ago|earlier|back)\b", _ago),
        (rf"\b(?:in|within)\s+{_COUNT}\s+{_UNIT}s?\b(?!\s+of\b)", _ahead),
        (rf"\b{_COUNT}\s+{_UNIT}s?\s+(?:from (?:now|today)|later)\b", _ahead),
        (r"\b(?P<step>this|last)\s+(?P<part>morning|afternoon|evening|night)\b", _this_part),
        (rf"\b{_STEP_WORD}\s+{_UNIT}\b", _step),
        (rf"\b{_STEP_WORD}\s+{_MONTH}", _calendar_month),
        (rf"\b(?:{_STEP_WORD}\s+)?{_WEEKDAY}s?{_PART_TAIL}", _named_weekday),
        (rf"(?<!\w)(?P<word>{_DAY_WORDS}){_PART_TAIL}(?![a-zа-я])", _day_word),
        (r"\b(?:at\s+)?(?P<h>\d\d?)(?:[:.](?P<m>\d\d))?\s*(?P<half>[ap])\.?m\b\.?", _clock_12),
        (
            r"\bat\s+(?P<h>\d\d?|" + "|".join(NUMBER_WORD) + r")(?:[:.](?P<m>\d\d))?(?:\s+o['’]?clock)?"
            r"\s+(?:in the (?P<part>morning|afternoon|evening)|at (?P<night>night))\b",
            _clock_of_day,
        ),
        (r"(?<![\d:.])(?P<h>[01]?\d|2[0-3]):(?P<m>[0-5]\d)(?::[0-5]\d)?(?![\d:])", _clock_24),
        (r"\b(?:at\s+)?(?P<word>noon|midnight)\b", _clock_word),
        (r"\b(?:at\s+)?(?P<h>\d\d?|" + "|".join(NUMBER_WORD) + r")\s+o['’]?clock\b", _oclock),
        (r"\b(?:in|during)\s+the\s+(?P<part>morning|afternoon|evening|night)\b", _part_of_day),
        (r"\bat\s+(?P<part>night)\b", _part_of_day),
        (rf"\b(?:(?<=in )|(?<=by )|(?<=since )|(?<=until )|(?<=during )|(?<=before )|(?<=after )|(?<=of )|(?<=for )|(?<=from )|(?<=starting )){_MONTH}"
         r"", _calendar_month),
        (r"\b(?-i:(?P<month>January|February|April|June|July|August|September|October|November|December))\b"
         r"", _calendar_month),
        (rf"(?=[12]\d)(?:(?<=\bin )|(?<=\bby )|(?<=since )|(?<=until )|(?<=\bof )|(?<=year )|(?<=from )|(?<=before )|(?<=after )|(?<=early )|(?<=late )){_YEAR}\b",
         _year),
)  # fmt: skip
_WORDS_OF: Final = {
    fragment: tuple(words.split())
    for fragment, words in (
        (_MONTH, "jan feb mar apr may jun jul aug sep oct nov dec"),
        (_WEEKDAY, "mon tue wed thu fri sat sun"),
        (_UNIT, "minute hour day week month quarter year"),
        ("(?P<season>", "spring summer autumn fall winter"),
        (rf"\b{_STEP_WORD}\s", "last past previous this current next coming upcoming"),
        (rf"\b(?:{_STEP_WORD}\s+)(?P<season>", "last past previous this current next coming upcoming"),
        (_DAY_WORDS, " ".join(word for word in _DAY_WORD if " " not in word)),
        ("ago|earlier|back", "ago earlier back"),
        ("from (?:now|today)|later", "now today later"),
        ("noon|midnight", "noon midnight"),
        (r"clock\b", "clock"),
        ("月", "月"),
        ("(?P<holiday>", "christmas year halloween valentine"),
        (r"the\s+(?P<part>", "morning afternoon evening night"),
        (r"last)\s+(?P<part>", "morning afternoon evening night"),
        ("(?P<night>", "morning afternoon evening night"),
        (r"at\s+(?P<part>", "night"),
    )
}
"""The words of which every match of a rule with this fragment contains one, in lower case. If a text lacks these words,
the rule need not be tried."""
_DOTS: Final = {ord("İ"): "i", ord("ı"): "i"}
"""Letters that a pattern in any case equates with `i`, but `casefold` does not."""

_GRAMMAR: Final = tuple(
    (re.compile(pattern, re.IGNORECASE), build, frozenset(fragment for fragment in _WORDS_OF if fragment in pattern))
    for pattern, build in _RULES
)
