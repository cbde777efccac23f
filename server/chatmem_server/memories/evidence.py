"""The deterministic evidence check: what an extracted item claims must stand in the messages it was extracted from.

Names, numbers, dates and denials are compared, not meaning: a model may phrase freely but not add.  A date counts when
the source says it in any form, "next Friday" included, resolved against the time of that message in the user's zone.
What a source takes back ("Thursday, no wait, Friday") bears nothing out.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import partial
from typing import Final
from zoneinfo import ZoneInfo

from chatmem.corrections import settled
from chatmem_server.dates.clock import local_day
from chatmem_server.dates.date_mentions import Mention
from chatmem_server.dates.day_spans import Days, Direction, days_of, readings_of
from chatmem_server.dates.time_expressions import directions_of
from chatmem_server.memories.attributes import attributes
from chatmem_server.memories.certainty import hedged, unrealised
from chatmem_server.memories.claims import Claims, claims, plain
from chatmem_server.memories.dedup_guards import read, runs_the_other_way
from chatmem_server.memories.whose import attributed
from chatmem_server.text.stemming import stem
from chatmem_server.text.synonyms import canonical


@dataclass(frozen=True, slots=True)
class Source:
    """One message as written, and when, in the zone of its writer."""

    text: str
    sent_at: datetime
    zone: ZoneInfo


@dataclass(frozen=True, slots=True)
class Verdict:
    """`reason` says what the sources lack; empty when they bear the item out.  `hedged`: they are not sure of it."""

    supported: bool
    reason: str = ""
    hedged: bool = False


def check(item: str, quote: str, sources: Sequence[Source], known_names: Iterable[str] = ()) -> Verdict:
    """Whether the item is borne out by its sources, and its quote is one; `known_names` need no evidence (the user's own)."""
    quoted = next((source for source in sources if contains_quote(source.text, quote)), None)
    if quoted is None:
        return Verdict(False, "the quote is not in the sources")
    item, sources = settled(item), [replace(source, text=settled(source.text)) for source in sources]
    said = [claims(source.text) for source in sources]
    names = frozenset(name.lower() for name in known_names)
    whole = _sentence_as_written(quoted.text, quote)
    sentence, around = settled(whole or quote), settled(whole or _sentence_around(quoted.text, quote))
    lacks = (
        _unsupported_name(claims(item), said, names)
        or _unsupported_number(claims(item), said)
        or _exchanged_number(item, sources)
        or _unsupported_date(item, sources)
        or _unsupported_denial(item, around)
        or _other_direction(item, sentence)
        or _other_value(item, sentence)
        or unrealised(item, sentence)
        or attributed(item, settled(quote), sentence)
    )
    return Verdict(False, lacks) if lacks else Verdict(True, hedged=hedged(item, sentence))


def supported(item: str, text: str) -> bool:
    """Whether one text still bears an item out, its dates compared as written."""
    item, text = settled(item), settled(text)
    wanted, said = claims(item), claims(text)
    if _unsupported_name(wanted, [said], frozenset()) or _unsupported_number(wanted, [said]):
        return False
    if any(not _same_date_written(mention, said) for mention in wanted.mentions):
        return False
    if not _shares_content(wanted, said) or _unsupported_denial(item, text):
        return False
    closest = max(
        reversed(_sentences(text)), key=lambda part: len(_content(claims(part)) & _content(wanted)), default=""
    )
    return not (
        _other_direction(item, closest)
        or _other_value(item, text)
        or unrealised(item, closest)
        or attributed(item, closest, closest)
    )


def stated(item: str, quote: str, sentences: Iterable[str]) -> bool:
    """Whether what the item has from its quote stands for the most part in these of the sentences that the quote touches."""
    taken = _told(item) & _told(quote)
    held = taken & frozenset[str]().union(*(_told(settled(sentence)) for sentence in sentences))
    return 2 * len(held) >= len(taken)


def _told(text: str) -> frozenset[str]:
    found = claims(text)
    return _content(found) | found.numbers | found.dates


def contains_quote(text: str, quote: str) -> bool:
    """Whether the quote stands in the text, whatever the white space, quotation marks, dashes and capitals."""
    wanted = _flat(quote).strip(" .…\"'")
    return bool(wanted) and wanted in _flat(text)


def _flat(text: str) -> str:
    return re.sub(r"\s+", " ", plain(text).translate(_MARKS)).strip().casefold()


_MARKS: Final = str.maketrans(
    {"«": '"', "»": '"', "„": '"', "–": "-", "—": "-", "`": "'", "\u200b": "", "\u2026": "..."}
)


def _unsupported_name(item: Claims, said: Sequence[Claims], known: frozenset[str]) -> str:
    words = frozenset[str]().union(known, *(claim.words for claim in said))
    lacking = sorted(name for name in item.entities if not _named(name, words))
    return f"the name {lacking[0]!r} is not in the sources" if lacking else ""


def _named(name: str, words: frozenset[str]) -> bool:
    """The name itself, one of its hyphenated parts all present, or an inflection of it (Singapore, Singaporean)."""
    if name in words or name.removesuffix("s") in words:
        return True
    parts = [part for part in re.split(r"[-.&'/]", name) if part]
    if len(parts) > 1 and all(any(part in re.split(r"[-.&'/]", word) for word in words) for part in parts):
        return True
    return len(name) >= 5 and any(_inflected(name, word) for word in words if len(word) >= 4)


def _inflected(name: str, word: str) -> bool:
    """One is the other with an ending of up to three letters; in inflecting scripts the endings may differ."""
    shorter, longer = sorted((name, word), key=len)
    if longer.startswith(shorter) and len(longer) - len(shorter) <= 3 and len(shorter) >= 5:
        return True
    common = next((i for i, (a, b) in enumerate(zip(name, word, strict=False)) if a != b), len(shorter))
    return not name.isascii() and common >= 4 and max(len(name), len(word)) - common <= 3


def _unsupported_number(item: Claims, said: Sequence[Claims]) -> str:
    numbers = frozenset[str]().union(*(claim.numbers for claim in said))
    numbers |= {
        str(value) for claim in said for m in claim.mentions for value in (m.year, m.day, m.hour) if value is not None
    }
    lacking = sorted(n for n in item.numbers - numbers if n != "1" and not any(_code_holds(n, claim) for claim in said))
    if lacking:
        return f"the number {lacking[0]} is not in the sources"
    units = _units(said)
    wrong = sorted(q for q in item.quantities if " " in q and _other_unit(q, units))
    return f"the amount {wrong[0]!r} has another unit in the sources" if wrong else ""


def _exchanged_number(item: str, sources: Sequence[Source]) -> str:
    """`Emma is 4` where the sources say `Emma (7)`."""
    said = {pair for source in sources for pair in _numbered(source.text)}
    for name, number in _numbered(item):
        given = {other for named, other in said if named == name}
        if name in claims(item).entities and given and number not in given:
            return f"the sources give {name!r} another number than {number}"
    return ""


def _numbered(text: str) -> list[tuple[str, str]]:
    return [(match["name"].lower(), match["number"]) for match in _NUMBERED.finditer(plain(text))]


_NUMBERED: Final = re.compile(r"\b(?P<name>[^\W\d_]{2,})(?:'s| is| aged|,)? \(?(?P<number>\d{1,3})\b(?![.:/])")


def _other_direction(item: str, sentence: str) -> str:
    other = runs_the_other_way(read(item), read(sentence))
    return "the sources say it the other way round" if other else ""


def _other_value(item: str, sentence: str) -> str:
    """What the item says of a thing that has one value at a time is not what the sentence says of it."""
    said = attributes(sentence)
    for mine in (mine for mine in attributes(item) if not mine.value & claims(item).dates):
        values = [theirs for theirs in said if (theirs.subject, theirs.name) == (mine.subject, mine.name)]
        if values and all(mine.contradicts(theirs) for theirs in values):
            return f"the sources say another {mine.name}"
    return ""


def _code_holds(number: str, claim: Claims) -> bool:
    return any(number in re.split(r"\D+", word) for word in claim.words if word[0].isalpha())


def _units(said: Sequence[Claims]) -> dict[str, set[str]]:
    """The units the sources give each number."""
    found: dict[str, set[str]] = {}
    for quantity in (q for claim in said for q in claim.quantities):
        number, _, unit = quantity.partition(" ")
        found.setdefault(number, set()).add(unit)
    return found


def _other_unit(quantity: str, units: dict[str, set[str]]) -> bool:
    number, _, unit = quantity.partition(" ")
    known = units.get(number, {""})
    return unit not in known and "" not in known


def _unsupported_date(item: str, sources: Sequence[Source]) -> str:
    for mention in claims(item).mentions:
        if not any(_dated(mention, item, source) for source in sources):
            return f"the date {mention.text!r} is not in the sources"
    return ""


def _dated(mention: Mention, item: str, source: Source) -> bool:
    said = claims(source.text)
    if _same_date_written(mention, said):
        return True
    if mention.form in {"clock", "part"}:
        return False
    today = local_day(source.sent_at, source.zone)
    wanted = _wanted(mention, today)
    given = [days for m in said.mentions for days in readings_of(m, today, _directions(source.text, m))]
    given += _ordinal_days(said, today)
    return any(test(span) for span in given for test in (partial(_same_days, w, item, mention) for w in wanted))


def _directions(text: str, mention: Mention) -> tuple[Direction, ...]:
    """Where the sentence that holds the mention looks."""
    before, after = plain(text)[: mention.start], plain(text)[mention.end :]
    return directions_of(re.split(r"[.!?\n]", before)[-1] + mention.text + re.split(r"[.!?\n]", after)[0])


def _wanted(mention: Mention, today: date) -> list[Days]:
    """What the item's date means: as it stands if it is a calendar date, in any reading if it leans on the message."""
    if mention.form in {"day", "month", "quarter", "year", "season"} and mention.year:
        days = days_of(mention, today, "future")
        return [days] if days else []
    return readings_of(mention, today)


def _same_days(wanted: Days, item: str, mention: Mention, given: Days) -> bool:
    """The same span; a coarser item over a finer source; or the edge of a span where the item says that it is one."""
    if wanted == given or (wanted[0] <= given[0] and given[1] <= wanted[1]):
        return True
    before = plain(item)[: mention.start].lower()
    one_day = (wanted[1] - wanted[0]).days == 1
    if one_day and wanted[1] == given[1] and _LIMIT.search(before):
        return True
    return one_day and wanted[0] == given[0] and bool(_BEGIN.search(before))


_LIMIT = re.compile(r"\b(?:by|due|deadline|before|until|end of|ends?|latest)\b[^.]{0,30}$")
_BEGIN = re.compile(r"\b(?:week of|from|starting|beginning|begins?|starts?)\b[^.]{0,20}$")


def _same_date_written(mention: Mention, said: Claims) -> bool:
    if mention.key() in said.dates:
        return True
    if mention.form == "year" and mention.year is not None:
        return str(mention.year) in said.numbers
    if any(_half_of_day_unsaid(mention, other) for other in said.mentions):
        return True
    if mention.form == "clock" and mention.hour is not None:
        return not mention.minute and bool({str(mention.hour), str(mention.hour % 12 or 12)} & said.numbers)
    return any(_refines(mention, other) for other in said.mentions)


def _half_of_day_unsaid(mention: Mention, other: Mention) -> bool:
    """`4:30` may be read as half past four in the afternoon."""
    if mention.form != "clock" or other.form != "clock" or mention.hour is None or other.hour is None:
        return False
    bare = not re.search(r"[a-z]", other.text.removeprefix("at "), re.IGNORECASE) and 1 <= other.hour <= 12
    return bare and mention.hour % 12 == other.hour % 12 and (mention.minute or 0) == (other.minute or 0)


def _refines(mention: Mention, other: Mention) -> bool:
    """The item's date is the source's without its year, or with the clock or part of day left out."""
    if mention.form != other.form:
        return False
    pairs = (
        (getattr(mention, f), getattr(other, f))
        for f in ("year", "month", "day", "last_day", "weekday", "unit", "offset", "hour")
    )
    return all(mine is None or mine == theirs for mine, theirs in pairs) and (mention.month == other.month)


def _ordinal_days(said: Claims, today: date) -> list[Days]:
    """`the 15th`: the nearest such days around the message."""
    days = [int(q.split()[0]) for q in said.quantities if q.endswith(" th") and q.split()[0].isdigit()]
    mentions = [
        Mention(0, 0, "", "day", month=month, day=day) for day in days if 1 <= day <= 31
        for month in {(today.month + shift - 1) % 12 + 1 for shift in (-1, 0, 1)}
    ]  # fmt: skip
    return [days for mention in mentions for days in readings_of(mention, today)]


def _unsupported_denial(item: str, sentence: str) -> str:
    """The clause that speaks of the same thing must deny it exactly when the item does."""
    wanted = claims(item)
    clauses = [claims(clause) for clause in _CLAUSE.split(plain(sentence)) if clause and clause.strip()]
    related = [clause for clause in clauses if _shares_content(wanted, clause)] or clauses
    if wanted.negations and not any(clause.negations for clause in related):
        return "the sources do not deny this"
    closest = max(reversed(related), key=lambda clause: len(_content(clause) & _content(wanted)), default=None)
    if closest and closest.negations and not wanted.negations and _shares_content(wanted, closest):
        return "the sources deny this"
    return ""


_CLAUSE = re.compile(
    r"[,;:.!?]\s|\s(?:but|because|and|so|although|though|since|while|however|yet|und|aber|y|pero|et|mais|и|но|lol|tbh|btw)\s|\s[–—-]\s|\n"
)


def _shares_content(item: Claims, said: Claims) -> bool:
    return not _content(item) or bool(_content(item) & _content(said))


def _content(claim: Claims) -> frozenset[str]:
    return frozenset(canonical(root) for root in claim.stems) - _COMMON


_COMMON: Final = frozenset(canonical(stem(word)) for word in ("user", "prefer", "live", "work", "have", "need", "want"))


def _sentence_around(text: str, quote: str) -> str:
    """The sentences of the text that the quote touches, so that a denial just outside the quote is seen."""
    flat, wanted = _flat(text), _flat(quote).strip(" .…\"'")
    start = flat.find(wanted)
    end = start + len(wanted)
    before, after = flat[max(0, start - _REACH) : start], flat[end : end + _REACH]
    return re.split(r"[.!?] ", before)[-1] + wanted + re.split(r"(?<=[.!?]) ", after)[0]


def _sentence_as_written(text: str, quote: str) -> str:
    """The sentence of the text that holds the quote; empty where it spans several."""
    return next((part for part in _sentences(text) if contains_quote(part, quote)), "")


def _sentences(text: str) -> list[str]:
    return re.split(r"(?<=[.!?])\s+|\n+", plain(text))


_REACH: Final = 300  # characters to either side of a quote in which its sentence is looked for
