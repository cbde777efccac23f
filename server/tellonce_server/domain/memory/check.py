"""Checks whether the user's own words support a model's claim, as far as this is possible in any language.

Quotes, names, numbers and days are compared as written. A claim that fails a check is uncertain. The verdict gives the
reasons.
"""

import re
from calendar import monthrange
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import reduce
from typing import Final
from zoneinfo import ZoneInfo

from tellonce.contract_types import When
from tellonce.reasons import reason
from tellonce_server.domain.memory import literals, resolution
from tellonce_server.domain.memory.calculation import changed_units, is_calculated, is_counted_day, values
from tellonce_server.embedding.protocol import Similarity
from tellonce_text.dates.readings import Expression, Reading, Said
from tellonce_text.dates.resolver import expressions
from tellonce_text.dates.tokens import is_read, language_of
from tellonce_text.dates.zones import region_of
from tellonce_text.own_words import quotations
from tellonce_text.sentences import ends_as_question, split_sentences

CONTENT_SHARE: Final = 0.5
"""Minimum share of a claim's content that the user's words contain. With less, they support the claim only by
similarity."""

SIMILAR: Final = 0.45
"""Minimum cosine of a claim and a sentence that supports it. In `benchmarks/claims`, paraphrases have .45 to .82, with
three exceptions. Invented claims stay below .23."""

UNLIKE: Final = 0.2
"""A quote with a lower cosine and less than SOME_CONTENT of the claim's content is unrelated to the claim."""

SOME_CONTENT: Final = 0.25
"""A quote with at least this share of a claim's content is related to the claim."""

MAX_SENTENCES: Final = 64
"""Maximum number of sentences of the user that are compared with a claim by meaning."""

MAX_MESSAGE: Final = 4_000
"""Maximum characters of a message or quote that are searched for the days and names of a claim."""

MAX_TEXT: Final = 2_000
"""Maximum characters of a claim that are searched for dates."""

MAX_DATES: Final = 8
"""Maximum number of dates of a claim that are compared with the quotes."""

_ISO_DAY: Final = re.compile(r"(?<!\d)(\d{4}-\d\d-\d\d)(?!\d)")
_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Quoted:
    """`quote` is a part of a message, or the whole message. The other fields describe this message."""

    quote: str
    message: str
    role: str
    said_at: datetime
    zone: ZoneInfo


@dataclass(frozen=True, slots=True)
class Verdict:
    """`reasons` are sentences for the user. They say why the claim is uncertain."""

    certain: bool
    reasons: tuple[str, ...]
    has_true_quote: bool


def check(
    text: str,
    quotes: Sequence[Quoted],
    *,
    shown: Sequence[str] = (),
    known: Sequence[str] = (),
    when: When | None = None,
    deadline: datetime | None = None,
    similarity: Similarity | None = None,
    about: str = "",
    is_read_again: bool = False,
) -> Verdict:
    """Check a claim against its quotes. `about` is the person or thing that the claim is about. A name in the claim
    must be in the quotes, in the lines that the model saw (`shown`), or in known memories (`known`).

    If `is_read_again` is true, a model reads the claim again before the claim counts. This second reading confirms
    calculated days, such as a birth 74 years ago. It also confirms every day if the date resolver does not know the
    language.

    If `similarity` is given, the quotes must be related to the claim. This is checked only if all quotes are in the
    claim's language, because a local embedding model may know only one language.
    """
    true = [quoted for quoted in quotes if quoted.role == "user" and contains_quote(quoted.message, quoted.quote)]
    false = (quoted.role for quoted in quotes if quoted not in true)
    reasons = [reason("quote_absent" if role == "user" else "not_own_words") for role in false]
    if not true:
        return Verdict(False, tuple(reasons) or (reason("no_quote"),), False)
    reasons += [reason("not_own_words") for quoted in true if _is_quotation(quoted)]
    evidence = _Evidence(true, (*shown, *known), is_read_again=is_read_again)
    reasons += evidence.unsupported(text, when, deadline)
    reasons += evidence.missing_subject(text, about)
    alike = [quoted.quote for quoted in true if language_of(quoted.quote) == language_of(text)]
    if similarity and len(alike) == len(true) and not _borne_out(text, alike, similarity, SOME_CONTENT, UNLIKE):
        reasons.append(reason("quote_silent"))
    return Verdict(not reasons, tuple(reasons), True)


def check_claim(
    text: str,
    user_words: Sequence[Quoted],
    similarity: Similarity | None = None,
    *,
    known: Sequence[str] = (),
    when: When | None = None,
    deadline: datetime | None = None,
) -> Verdict:
    """Check a claim that has no quote. All of the user's words in the exchange are the evidence. These words must
    contain enough of the claim's content, or be similar to the claim. Questions of the user do not count."""
    said = _said(user_words)
    if not said:
        return Verdict(False, (reason("nothing_said"),), False)
    reasons = _Evidence(said, known).unsupported(text, when, deadline)
    if not _borne_out(text, _stated(said), similarity, CONTENT_SHARE, SIMILAR):
        reasons.append(reason("words_silent"))
    return Verdict(not reasons, tuple(reasons), False)


def unsupported(lines: Sequence[str], user_words: Sequence[Quoted], *, known: Sequence[str] = ()) -> list[str]:
    """The lines that the user's words do not support. Each line is checked like a claim without a quote."""
    said = _said(user_words)
    if not said or not lines:
        return list(lines)
    evidence, stated = _Evidence(said, known), _stated(said)
    return [
        line
        for line in lines
        if not _borne_out(line, stated, None, CONTENT_SHARE, SIMILAR) or evidence.unsupported(line, None, None)
    ]


def _said(user_words: Sequence[Quoted]) -> list[Quoted]:
    return [quoted for quoted in user_words if quoted.role == "user" and literals.words(quoted.quote)]


def _stated(said: Sequence[Quoted]) -> list[str]:
    return [sentence for quoted in said for sentence in split_sentences(quoted.quote) if not ends_as_question(sentence)]


def contains_quote(message: str, quote: str) -> bool:
    """Whether the message contains the quote's words in order, ignoring punctuation, spaces and case."""
    return quotes_in(message)(quote)


def quotes_in(message: str) -> Callable[[str], bool]:
    """A form of `contains_quote` for many quotes. The message is read only once."""
    said = literals.phrase(message)

    def contains(quote: str) -> bool:
        wanted = literals.phrase(quote)
        return bool(wanted.strip()) and wanted in said

    return contains


def _is_quotation(quoted: Quoted) -> bool:
    """Whether the message contains the quote only inside quotation marks, as the words of somebody else."""
    said = quoted.message[:MAX_MESSAGE]
    inside = sum(said.count(quoted.quote, start, end) for start, end in quotations(said, _QUOTATION))
    return inside > 0 and inside == said.count(quoted.quote)


_QUOTATION: Final = 12
"""Minimum characters of a quotation. Shorter ones are names, titles and single words."""


@dataclass(frozen=True, slots=True)
class _Moment:
    """A day or a time that a claim names, in the user's zone."""

    at: date | datetime
    precision: str

    @property
    def day(self) -> date:
        return self.at.date() if isinstance(self.at, datetime) else self.at

    @property
    def clock(self) -> datetime | None:
        """The time of day; None for a whole day. Midnight and 23:59 mean a whole day."""
        if not isinstance(self.at, datetime) or self.precision not in {"instant", "deadline"}:
            return None
        return None if (self.at.hour, self.at.minute) in {(0, 0), (23, 59)} else self.at

    @property
    def is_before_a_day(self) -> bool:
        """Whether this is a deadline in the last minute of a day, as in `before Christmas Eve`."""
        return (
            self.precision == "deadline" and isinstance(self.at, datetime) and self.clock is None and self.at.hour > 0
        )

    def numbers(self) -> frozenset[str]:
        """The numbers that identify this moment, such as its year, month and day."""
        parts = [self.day.year, self.day.month, self.day.day]
        found = {str(part) for part in parts[: self.parts()]}
        return frozenset(found if self.clock is None else {*found, str(self.clock.hour), str(self.clock.minute)})

    def parts(self) -> int:
        """How many of year, month and day identify this moment. `Since 2019` is stored as January 1, but names only the
        year."""
        if self.precision == "ongoing" and self.day.day == 1:
            return 1 if self.day.month == 1 else 2
        return {"year": 1, "month": 2}.get(self.precision, 3)

    def renderings(self) -> frozenset[str]:
        """The numbers by which a text can express this moment. `18:30` can be `6`, and `2026` can be `26`."""
        found = {*self.numbers(), f"{self.day.year % 100}"}
        return frozenset(found if self.clock is None else {*found, str(self.clock.hour % 12 or 12)})


class _Evidence:
    """The verified quotes of a claim, with their words and numbers."""

    def __init__(self, quotes: Sequence[Quoted], around: Sequence[str], *, is_read_again: bool = False) -> None:
        self._is_read_again = is_read_again
        self._is_unread = is_read_again and not any(is_read(quoted.message) for quoted in quotes)
        self._digits = sum(len(literals.numbers(quoted.quote)) for quoted in quotes)
        self._quotes = quotes
        self._zone = quotes[0].zone
        self._today = frozenset(quoted.said_at.astimezone(self._zone).date() for quoted in quotes)
        said = (text for quoted in quotes for text in dict.fromkeys((quoted.quote, quoted.message[:MAX_MESSAGE])))
        self._words = literals.Words((*said, *around))
        self._numbers = frozenset[str]().union(*(literals.said_numbers(quoted.quote) for quoted in quotes))
        self._written = self._numbers.union(str(q.said_at.astimezone(q.zone).year) for q in quotes)
        self._following = reduce(
            resolution.Following.joined, (resolution.following(q.quote, q.said_at, q.zone) for q in quotes)
        )
        self._timed = frozenset[tuple[int, str]]().union(*(resolution.timed_numbers(quoted.quote) for quoted in quotes))
        self._lengths = frozenset[tuple[int, str]]().union(*(resolution.equal_lengths(*timed) for timed in self._timed))
        self._numbers |= self._following.numbers | {str(number) for number, _ in self._lengths}
        self._calendar = frozenset[tuple[str, int]]().union(
            *(resolution.calendar_names(q.quote[:MAX_MESSAGE]) for q in quotes)
        )

    def unsupported(self, text: str, when: When | None, deadline: datetime | None) -> list[str]:
        """The reasons against the claim: its days, numbers, units and names that the quotes do not support."""
        named = list(_named_moments(text, when, deadline, self._zone))
        moments = [moment for moment in named if self._follows(moment)]
        reasons = [reason("day", day=f"{moment.at:%Y-%m-%d}") for moment in named if moment not in moments]
        rest = self._without_dates(text, moments)
        reasons += [
            reason("number", number=number) for number in self._missing_numbers(resolution.in_digits(rest), moments)
        ]
        reasons += [reason("time_unit", unit=unit) for unit in self._other_units(text)]
        units = changed_units(text, (quoted.quote for quoted in self._quotes))
        reasons += [reason("measure", measure=measure) for measure in units]
        reasons += [reason("name", name=name) for name in self._missing_names(rest)]
        return list(dict.fromkeys(reasons))

    def _without_dates(self, text: str, moments: Sequence[_Moment]) -> str:
        """The claim, in which `x` replaces each word of a date that the quotes support. The quote `the 7th of nov`
        supports `Saturday 7 November`, so the quotes need not contain `Saturday`."""
        said = Said(self._quotes[0].said_at, self._zone, region_of(self._zone))
        for named in reversed(expressions(text[:MAX_TEXT], said)[:MAX_DATES]):
            if any(self._supports(reading, moments) for reading in _consistent(named)):
                hidden = _WORD.sub("x", text[named.start : named.end])
                text = f"{text[: named.start]}{hidden}{text[named.end :]}"
        return text

    def _supports(self, reading: Reading, moments: Sequence[_Moment]) -> bool:
        """Whether the quotes name a date of the claim. For a time, they must give this time. For a month, they must
        give the month or one of its days. For a short span of days, they must name its first and last day."""
        if reading.precision == "instant":
            return self._follows(_Moment(reading.start, "instant"))
        first, last = reading.days
        if reading.precision == "month":
            return any(first <= moment.day <= last for moment in moments) or self._follows(_Moment(first, "month"))
        few = (last - first).days <= resolution.WEEK
        return few and all(self._named(day) or any(moment.day == day for moment in moments) for day in {first, last})

    def _named(self, day: date) -> bool:
        """Whether the quotes name the day. If they name no other day, they also support the day of their message. `I am
        600 days sober` supports `sober for 600 days as of 20 November`."""
        if day in self._today and not self._following.named - self._today:
            return True
        return self._follows(_Moment(day, "day"))

    def missing_subject(self, text: str, about: str) -> list[str]:
        """The reason against a claim that begins with a name that nobody mentioned. `unsupported` skips the first word
        of a sentence."""
        first = next(iter(literals.Spoken(text).words), "")
        named = first[:1].isupper() and first in literals.Spoken(about).words
        return [reason("name", name=first)] if named and not self._words.have(first) else []

    def _missing_numbers(self, text: str, moments: Sequence[_Moment]) -> list[str]:
        said = self._numbers.union(*(moment.renderings() for moment in moments))
        given = literals.numbers(text)
        missing = [n for n in given if not any(one <= said for one in (*n.readings, *n.converted))]
        if self._is_unread and len(missing) <= len(given) - self._digits:
            # The quotes can contain the other numbers as words of a language that the program does not know.
            return []
        stated = values(literals.said_numbers(text))
        return [n.text for n in missing if not any(self._is_calculated(one, stated) for one in n.readings)]

    def _is_calculated(self, reading: frozenset[str], stated: Collection[float]) -> bool:
        said = values(self._following.counted)
        return len(reading) == 1 and any(is_calculated(value, said, stated) for value in values(reading))

    def _other_units(self, text: str) -> list[str]:
        """The units of time that contradict the quotes. `3 weeks` contradicts `3 days`, but `3` alone does not."""
        said = self._timed | self._lengths
        counted = {number for number, _ in said}
        return sorted({unit for number, unit in resolution.timed_numbers(text) - said if number in counted})

    def _missing_names(self, text: str) -> Iterator[str]:
        names = literals.names(text)
        for name in names[: literals.MAX_NAMES]:
            if not self._words.have(name) and self._calendar.isdisjoint(resolution.calendar_names(name)):
                yield name
        yield from names[literals.MAX_NAMES : literals.MAX_NAMES + 1]

    def _follows(self, moment: _Moment) -> bool:
        if self._is_unread or moment.numbers() <= self._written:
            return True
        return any(self._follows_from(quoted, moment) for quoted in self._quotes) or self._is_counted(moment)

    def _is_counted(self, moment: _Moment) -> bool:
        """Whether the day differs from one of the user's days by an age in years (see `is_counted_day`). Only a second
        reading can confirm such a day."""
        if not self._is_read_again or moment.clock is not None:
            return False
        days = sorted(self._today | self._following.named)
        return is_counted_day(moment.day, moment.parts(), days, sorted(values(self._following.counted)))

    def _follows_from(self, quoted: Quoted, moment: _Moment) -> bool:
        if moment.precision == "ongoing" and (
            moment.day == quoted.said_at.astimezone(quoted.zone).date()
            or any(first <= moment.day <= last for first, last in self._following.begun)
        ):
            return True
        if moment.clock is None and moment.precision in {"day", "end"} and moment.day in self._following.named:
            return True
        if moment.precision == "end" and moment.day in self._following.ended:
            return True
        at = moment.clock or moment.day
        # The day is often given in a sentence next to the quoted sentence.
        said = dict.fromkeys((quoted.quote[:MAX_MESSAGE], quoted.message[:MAX_MESSAGE]))
        limits = [at, moment.day + timedelta(days=1)] if moment.is_before_a_day else [at]
        limits += _thirds(moment.day) if moment.precision == "month" else []
        return any(resolution.admits(text, quoted.said_at, quoted.zone, limit) for text in said for limit in limits)


def _consistent(named: Expression) -> list[Reading]:
    """The readings on the named weekday, if one is named. A weekday in a claim, as in `Monday 7 November`, may be an
    addition of the model that nobody said."""
    weekdays = {value for name, value in resolution.calendar_names(named.text) if name == "weekday"}
    return [reading for reading in named.readings if weekdays <= {day.weekday() for day in reading.days}]


def _thirds(month: date) -> list[date | datetime]:
    """Days in each third of the month, because `at the end of January` supports January."""
    last = monthrange(month.year, month.month)[1]
    return [month.replace(day=day) for day in (1, 15, 28, last)]


def _named_moments(text: str, when: When | None, deadline: datetime | None, zone: ZoneInfo) -> Iterator[_Moment]:
    """The times in the fields and in the text of the claim. Only `2026-11-27` is read in the text, because this form is
    the same in every language."""
    if when is not None and when.start is not None:
        yield _Moment(when.start.astimezone(zone), when.precision)
    if when is not None and when.end is not None and when.end != when.start:
        yield _Moment(when.end.astimezone(zone), "end" if when.precision == "day" else when.precision)
    if deadline is not None:
        yield _Moment(deadline.astimezone(zone), "deadline")
    for match in _ISO_DAY.finditer(literals.plain(text)):
        with suppress(ValueError):
            yield _Moment(date.fromisoformat(match[1]), "day")


def _borne_out(text: str, said: Sequence[str], similarity: Similarity | None, share: float, cosine: float) -> bool:
    """Whether `said` contains enough of the claim's content, or a sentence that is similar enough to the claim."""
    wanted, there = literals.content(text), frozenset[str]().union(*(literals.content(part) for part in said))
    if said and sum(weight for part, weight in wanted.items() if part in there) >= share * sum(wanted.values()):
        return True
    sentences = [sentence for part in said for sentence in split_sentences(part)][:MAX_SENTENCES]
    return similarity is not None and any(similarity(text, sentence) >= cosine for sentence in sentences)
