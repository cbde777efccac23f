"""Days, months, and years by their names on the calendar: `March 3`, `3.4.2026`, `last Friday of October`, `Q2 2026`."""

from collections.abc import Callable
from datetime import date
from typing import Final

from chatmem_text.dates.feasts import feast_day, is_local, nth_weekday
from chatmem_text.dates.phrases import (
    Phrase,
    Rule,
    choose,
    comma,
    day_number,
    fixed,
    skip,
    trailing_year,
    year_at,
)
from chatmem_text.dates.readings import DAY, Days, Meaning, Scene, add_months, month_of, one_day, year_of
from chatmem_text.dates.tokens import Line


def stamp(line: Line, index: int) -> Phrase | None:
    """`2026-03-15`; its time of day is the resolver's."""
    token = line[index]
    if token.kind == "stamp":
        year, month, day = (int(part or 0) for part in token.parts[:3])
        return Phrase(index + 1, _on(year, month, day), single=True, absolute=True, form="stamp")
    if token.kind == "han" and token.parts[1]:
        return _han(token.parts, index)
    return None


def _han(parts: tuple[str | None, ...], index: int) -> Phrase | None:
    year, month, day = (int(part) if part else None for part in parts)
    if month is None or not 1 <= month <= 12:
        return None
    if day is None:
        return Phrase(index + 1, _in_month(year, month), absolute=year is not None)
    return Phrase(index + 1, _day_of_year(year, month, day, None), single=True, absolute=year is not None)


def numeric(line: Line, index: int) -> Phrase | None:
    """`3/15/2026`, `15.3.2026`, `3.4.`; without a year only where something says that it is a day."""
    token = line[index]
    if token.kind != "numeric":
        return None
    first, mark, second, third, dot = token.parts
    if third is None and not (dot or _dated_before(line, index, mark)):
        return None
    if len(first or "") == 4:
        if third is None or len(third) == 4:
            return None
        return Phrase(index + 1, _on(int(first or 0), int(second or 0), int(third)), single=True, absolute=True)
    a, b = int(first or 0), int(second or 0)
    if third is None and mark == "." and (b > 12 or a > 31):
        return None
    year = int(third) if third else None
    year = year + 2000 if year is not None and year < 100 else year
    return Phrase(index + 1, _numeric_meaning(a, b, year, mark or "/"), single=True, absolute=year is not None)


def _dated_before(line: Line, index: int, mark: str | None) -> bool:
    if mark == "." and line.language == "en":
        return False
    before = line[index - 1]
    return before.has("on") or before.has("weekday") or before.has("by") or before.has("since") or before.word == "due"


def _numeric_meaning(a: int, b: int, year: int | None, mark: str) -> Callable[[Scene], Meaning | None]:
    """By the custom of the region; where that is not known, both ways, unless only one is a date."""

    def meaning(scene: Scene) -> Meaning | None:
        by_day, by_month = (_day_of_year(year, m, d, None)(scene) for m, d in ((b, a), (a, b)))
        if by_day is None or by_month is None or by_day.choices == by_month.choices:
            return by_day or by_month
        if mark == "." and scene.region not in _MONTH_FIRST:
            return by_day
        month_first = scene.region in _MONTH_FIRST and mark != "."
        ordered = (by_month, by_day) if month_first else (by_day, by_month)
        sure = scene.region is not None and ordered[0].certain and mark != "."
        return Meaning((*ordered[0].choices, *ordered[1].choices), sure)

    return meaning


_MONTH_FIRST: Final = frozenset({"US", "PH", "FM", "MH", "PW", "GU", "AS", "PR", "VI"})


def month_day(line: Line, index: int) -> Phrase | None:
    """`March 3rd, 2026`, `the 3rd of March`, `Tuesday, March 3`, `June 3–5`."""
    weekday, at = _leading_weekday(line, index)
    found = _month_first(line, at) or _day_first(line, at)
    if found is None:
        return None
    month, day, last, end = found
    year, end = trailing_year(line, end)
    weekday, end = _trailing_weekday(line, end) if weekday is None else (weekday, end)
    if last is None and year is not None:
        return Phrase(end, _on(year, month, day), single=True, absolute=True, form="date")
    return Phrase(end, _day_of_year(year, month, day, weekday, last), single=last is None, form="date")


def _leading_weekday(line: Line, index: int) -> tuple[int | None, int]:
    weekday = line[index].get("weekday")
    if weekday is None:
        return None, skip(line, index, "article")
    at = index + 2 if line[index + 1].word == "." else index + 1
    return weekday, skip(line, comma(line, at), "article", "on")


def _trailing_weekday(line: Line, end: int) -> tuple[int | None, int]:
    """`March 3 (Tuesday)`."""
    bracketed = line[end].word == "(" and line[end + 1].has("weekday") and line[end + 2].word == ")"
    return (line[end + 1].get("weekday"), end + 3) if bracketed else (None, end)


def _month_first(line: Line, index: int) -> tuple[int, int, int | None, int] | None:
    month = line[index].get("month")
    if month is None:
        return None
    at = index + 2 if line[index + 1].word == "." else index + 1
    at = skip(line, at, "article")
    day = day_number(line, at)
    if day is None or _is_clock(line, at):
        return None
    last, end = _last_day(line, at + 1)
    return month, day, last, end


def _day_first(line: Line, index: int) -> tuple[int, int, int | None, int] | None:
    day = day_number(line, index)
    if day is None:
        return None
    at = index + 2 if line[index + 1].word in {".", "º", "ª"} else index + 1
    last, at = _last_day(line, at)
    at = index_after_period(line, at) if last else at
    at = skip(line, at, "of")
    month = line[at].get("month")
    if month is None or (line[at].word == "may" and not line[at].capital and at == index + 1):
        return None
    return month, day, last, at + 2 if line[at + 1].word == "." and not line[at + 2].capital else at + 1


def index_after_period(line: Line, index: int) -> int:
    return index + 1 if line[index].word == "." else index


def _last_day(line: Line, index: int) -> tuple[int | None, int]:
    """The last day of a range such as `3–5` or `3 to 5`."""
    token = line[index]
    if token.word not in {"-", "–", "—"} and not token.has("to") and not token.has("and"):
        return None, index
    at = skip(line, index + 1, "article")
    last = day_number(line, at)
    if last is None or line[at].kind != "number" or _is_clock(line, at):
        return None, index
    if token.has("and") and not (line[at].suffix or line[at + 1].has("month") or line[at + 2].has("month")):
        return None, index
    return last, at + 1


def _is_clock(line: Line, index: int) -> bool:
    return line[index + 1].has("half_of_day") or line[index + 1].has("o_clock")


def _on(year: int, month: int, day: int) -> Callable[[Scene], Meaning | None]:
    return _day_of_year(year, month, day, None)


def _day_of_year(
    year: int | None, month: int, day: int, weekday: int | None, last: int | None = None
) -> Callable[[Scene], Meaning | None]:
    """A day of the named year, else the last one or the coming one; a weekday beside it must agree."""

    def days(of: int) -> Days | None:
        first = _date(of, month, day)
        end = _date(of, month, last) if last and last > day else first
        return Days(first, end + DAY) if first and end else None

    def meaning(scene: Scene) -> Meaning | None:
        if year is not None:
            found = days(year)
            return Meaning((found,)) if found else None
        if weekday is None:
            return _yearly(scene, days)
        return _yearly_on_weekday(scene, days, weekday)

    return meaning


def _yearly(scene: Scene, days: Callable[[int], Days | None]) -> Meaning | None:
    """What returns every year: the last one that has begun, the next one that has not ended."""
    now = scene.today.year
    back = next((d for y in range(now, now - 9, -1) if (d := days(y)) and d.first <= scene.today), None)
    ahead = next((d for y in range(now - 1, now + 9) if (d := days(y)) and d.end > scene.today), None)
    return choose(scene, back, ahead)


def _yearly_on_weekday(scene: Scene, days: Callable[[int], Days | None], weekday: int) -> Meaning | None:
    now = scene.today.year
    agreeing = [d for y in range(now - 6, now + 7) if (d := days(y)) and d.first.weekday() == weekday]
    near = sorted(agreeing, key=lambda d: abs((d.first - scene.today).days))
    if not near or abs((near[0].first - scene.today).days) > 366:
        plain = _yearly(scene, days)
        return plain and Meaning(plain.choices, False)
    return Meaning(tuple(near[:2]), True)


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def day_of_month(line: Line, index: int) -> Phrase | None:
    """`the 15th`, `the 3rd of next month`, `Friday the 13th`."""
    weekday = line[index].get("weekday")
    at = comma(line, index + 1) if weekday is not None else index
    after = skip(line, at, "article")
    day, suffix = day_number(line, after), line[after].suffix
    if day is None or (after == at and weekday is None and not line[after - 1].has("on")):
        return None
    if line[after + 1].has("of") and line[after + 2].has("every"):
        return Phrase(after + 4, lambda _scene: None, form="repeats")
    month = _which_month(line, after + 1)
    if month:
        step, end = month
        return Phrase(end, lambda scene: _in_stepped_month(scene, step, day), single=True)
    if suffix not in {"st", "nd", "rd", "th"} or not _stands_alone(line, after + 1):
        return None
    last = day_number(line, after + 2) if line[after + 1].has("and") and line[after + 2].suffix in _ENDINGS else None
    if last is not None and last > day:
        return Phrase(after + 3, lambda scene: _nearest_day(scene, day, weekday, last))
    return Phrase(after + 1, lambda scene: _nearest_day(scene, day, weekday), single=True)


def _which_month(line: Line, index: int) -> tuple[int, int] | None:
    """`of next month`, `of the month`."""
    at = skip(line, index, "inside")
    if at == index:
        return None
    step = line[at].get("step")
    at += step is not None or line[at].has("article")
    return (step or 0, at + 1) if line[at].get("unit") == "month" and at > index + 1 else None


_ENDINGS: Final = frozenset({"st", "nd", "rd", "th"})


def _stands_alone(line: Line, index: int) -> bool:
    """Whether what follows `the 15th` is not what it counts (`the 15th floor`)."""
    token = line[index]
    return (
        token.kind != "word" or bool(token.tags.keys() - {"unit"}) or token.word in {"or", "because", "so", "but", "we"}
    )


def _in_stepped_month(scene: Scene, step: int, day: int) -> Meaning | None:
    first = add_months(scene.today.replace(day=1), step)
    found = _date(first.year, first.month, day)
    return Meaning((one_day(found),)) if found else None


def _nearest_day(scene: Scene, day: int, weekday: int | None, last: int | None = None) -> Meaning | None:
    first = scene.today.replace(day=1)
    months = (add_months(first, n) for n in range(-14, 15))
    days = [d for m in months if (d := _date(m.year, m.month, day)) and (weekday is None or d.weekday() == weekday)]
    length = (last - day + 1) if last else 1
    back = next((Days(d, d + length * DAY) for d in reversed(days) if d <= scene.today), None)
    ahead = next((Days(d, d + length * DAY) for d in days if d >= scene.today), None)
    return choose(scene, back, ahead)


def nth_of_month(line: Line, index: int) -> Phrase | None:
    """`the first Monday of October`, `last Friday in May 2025`, `second week of June`, `last day of the month`."""
    at = skip(line, index, "article")
    nth = line[at].get("ordinal")
    nth = line[at].value if nth is None and line[at].suffix in {"st", "nd", "rd", "th"} else nth
    weekday, unit = line[at + 1].get("weekday"), line[at + 1].get("unit")
    of = skip(line, at + 2, "inside")
    if nth is None or of == at + 2 or (weekday is None and unit not in {"week", "day", "weekend"}):
        return None
    parent = _stepped_month(line, of) or month(line, skip(line, of, "article"), led=True)
    if parent is None:
        return None
    end, single = parent.end, unit not in {"week", "weekend"}
    vague = unit == "week"
    return Phrase(end, lambda scene: _nth_meaning(parent.meaning(scene), nth, weekday, unit, vague=vague), single)


def _stepped_month(line: Line, index: int) -> Phrase | None:
    month = _which_month(line, index - 1)
    if month is None:
        return None
    step, end = month
    return Phrase(end, lambda s: Meaning((_month_from(s, step),)))


def _month_from(scene: Scene, step: int) -> Days:
    first = add_months(scene.today.replace(day=1), step)
    return month_of(first.year, first.month)


def _nth_meaning(
    parent: Meaning | None, nth: int, weekday: int | None, unit: str | None, *, vague: bool
) -> Meaning | None:
    if parent is None:
        return None
    try:
        choices = tuple(_nth_in(days, nth, weekday, unit) for days in parent.choices)
    except ValueError:
        return None
    return Meaning(choices, parent.certain and not vague, vague)


def _nth_in(days: Days, nth: int, weekday: int | None, unit: str | None) -> Days:
    if weekday is not None:
        return one_day(nth_weekday(days.first.year, days.first.month, nth, weekday))
    if unit == "weekend":
        saturday = nth_weekday(days.first.year, days.first.month, nth, 5)
        return Days(saturday, saturday + 2 * DAY, "week")
    if unit == "day":
        return one_day(days.end - DAY if nth < 0 else days.first + (nth - 1) * DAY)
    if nth < 0:
        return Days(days.end - 7 * DAY, days.end, "week")
    return Days(days.first + 7 * (nth - 1) * DAY, days.first + 7 * nth * DAY, "week")


def month(line: Line, index: int, *, led: bool = False) -> Phrase | None:
    """`May 2026`, `next March`, `in June`; a word that is also another word needs something that leads to a month."""
    step = line[index].get("step")
    at = index + 1 if step is not None else index
    token = line[at]
    number = token.get("month")
    if number is None:
        return None
    after = at + 2 if line[at + 1].word == "." and len(token.word) <= 4 else at + 1
    year, end = trailing_year(line, after)
    if year is None:
        year, end = _stepped_year(line, after)
    if year is not None and step is None:
        return Phrase(end, _in_month(year, number), absolute=year > 1000)
    if not (led or step is not None or _is_month(line, at)):
        return None
    if step is None:
        named = not led and not _is_led(line, at)
        return Phrase(at + 1, _doubtful(_in_month(None, number)) if named else _in_month(None, number))
    return Phrase(at + 1, lambda scene: _stepped(scene, step, lambda y: month_of(y, number)))


def _stepped_year(line: Line, index: int) -> tuple[int | None, int]:
    """`March of last year`, `in March this year`: the step, to be counted from the year it was said."""
    at = skip(line, index, "of")
    if line[at].has("step") and line[at + 1].get("unit") == "year":
        return line[at].get("step"), at + 2
    return None, index


def _doubtful(meaning: Callable[[Scene], Meaning | None]) -> Callable[[Scene], Meaning | None]:
    """June and April are names as well."""

    def doubtful(scene: Scene) -> Meaning | None:
        found = meaning(scene)
        return found and Meaning(found.choices, False)

    return doubtful


def _is_led(line: Line, index: int) -> bool:
    before = line[index - 1]
    return before.has("month_lead") or before.has("of") or before.has("edge") or before.has("inside")


def _is_month(line: Line, index: int) -> bool:
    token, before = line[index], line[index - 1]
    if _is_led(line, index):
        return token.capital or not token.has("vague_word") or before.word in {"in", "by", "since", "of", "until"}
    return (token.capital and not token.has("vague_word") and len(token.word) > 3) or (
        line.language != "en" and len(token.word) > 3 and token.word not in {"marzo", "mars", "mai"}
    )


def _in_month(year: int | None, number: int) -> Callable[[Scene], Meaning | None]:
    if year is not None and year > 1000:
        return fixed(month_of(year, number))
    if year is not None:
        return lambda scene: Meaning((month_of(scene.today.year + year, number),))
    return lambda scene: _yearless(scene, lambda y: month_of(y, number))


def _yearless(scene: Scene, days: Callable[[int], Days]) -> Meaning | None:
    """A month or season that runs now can be this one, last year's, or next year's."""
    found = _yearly(scene, days)
    if found and not scene.sure and not 0 < (found.choices[0].first - scene.today).days <= _SOON:
        found = Meaning(found.choices, False)
    running = days(scene.today.year)
    if found and running.first <= scene.today < running.end:
        return Meaning(found.choices, scene.direction is not None)
    return found


_SOON: Final = 100  # days ahead in which a month named without a verb is the coming one


def _stepped(scene: Scene, step: int, days: Callable[[int], Days]) -> Meaning:
    """`last March`, `next summer`, `this Easter`: certain only where this year's cannot be meant as well."""
    now = scene.today.year
    begun = next(d for y in range(now, now - 3, -1) if (d := days(y)).first <= scene.today)
    coming = next(d for y in range(now - 1, now + 3) if (d := days(y)).first > scene.today)
    if step == 0:
        return _this(scene, begun, coming, days(now))
    if step < 0:
        running = begun.end > scene.today
        back = days(begun.first.year - 1) if running else begun
        season_runs = running and begun.precision == "season"
        return Meaning((back, days(back.first.year - 1)), back.first.year < now and not season_runs)
    return Meaning((coming, days(coming.first.year + 1)), coming.first.year > now)


def _this(scene: Scene, begun: Days, coming: Days, this_year: Days) -> Meaning:
    if begun.end > scene.today:
        return Meaning((begun,))
    if scene.direction == "past":
        return Meaning((begun, coming), True)
    if this_year.first > scene.today or scene.direction == "future":
        return Meaning((coming, begun), this_year.first > scene.today)
    return Meaning((this_year, coming), False)


def season(line: Line, index: int) -> Phrase | None:
    """`last summer`, `in the spring`, `fall 2025`; winter is named for the year it begins in."""
    step = line[index].get("step")
    at = index + 1 if step is not None else skip(line, index, "article")
    start = line[at].get("season")
    if start is None:
        return None
    year, end = trailing_year(line, at + 1)
    if year is None:
        year, end = _stepped_year(line, at + 1)
    if year is not None and step is None:
        return Phrase(
            end, lambda scene: Meaning((_season(scene, year if year > 1000 else scene.today.year + year, start),))
        )
    if step is not None:
        return Phrase(at + 1, lambda scene: _stepped(scene, step, lambda y: _season(scene, y, start)))
    lead = line[index - 1]
    if not (lead.has("in") or lead.has("since") or lead.has("edge") or lead.has("by") or line.language != "en"):
        return None
    return Phrase(at + 1, lambda scene: _yearless(scene, lambda y: _season(scene, y, start)))


def _season(scene: Scene, year: int, start: int) -> Days:
    south = scene.region in _SOUTHERN
    return month_of(year, (start + 5) % 12 + 1 if south else start, 3)


_SOUTHERN: Final = frozenset({"AU", "NZ", "ZA", "AR", "CL", "UY", "PY", "BR", "BO", "NA", "BW", "LS", "SZ"})


def quarter(line: Line, index: int) -> Phrase | None:
    """`Q2 2026`, `the third quarter of 2025`."""
    token = line[index]
    at = skip(line, index, "article")
    if len(token.word) == 2 and token.word[0] == "q" and token.word[1].isdigit():
        number, end = int(token.word[1]), index + 1
    elif line[at].has("ordinal") and line[at + 1].get("unit") == "quarter":
        number, end = line[at].get("ordinal"), at + 2
    else:
        return None
    if number is None or not 1 <= number <= 4:
        return None
    after = end + 1 if line[end].word in {"/", "-"} else end
    year, after = trailing_year(line, after)
    months = 3 * number - 2
    if year is None:
        return Phrase(end, lambda scene: _yearless(scene, lambda y: month_of(y, months, 3)))
    return Phrase(after, fixed(month_of(year, months, 3)), absolute=True)


def year(line: Line, index: int) -> Phrase | None:
    """`in 2024`, `the 1990s`, `the 90s`."""
    token = line[index]
    if token.kind == "number" and token.suffix == "s" and token.value is not None and token.value % 10 == 0:
        return _decade(line, index, token.value)
    found = year_at(line, index)
    until = year_at(line, found[1] + 1) if found and line[found[1]].word in {"-", "–"} else None
    if found and until and found[0] < until[0]:
        days = Days(date(found[0], 1, 1), date(until[0] + 1, 1, 1), "year")
        return Phrase(until[1], fixed(days), absolute=True)
    if found is None or not line[index - 1].has("year_lead"):
        return None
    value, end = found
    following = line[end]
    if following.has("unit") or (following.kind == "word" and not following.tags and following.word in _COUNTED):
        return None
    return Phrase(end, fixed(year_of(value)), absolute=True)


_COUNTED: Final = frozenset(
    "people tokens dollars euros users files calories words points steps meters miles km kg".split()
)


def _decade(line: Line, index: int, value: int) -> Phrase | None:
    first = value if value > 1000 else (1900 + value if value >= 30 else 2000 + value)
    if not 1800 <= first <= 2100 or not (value > 1000 or line[index - 1].has("decade_lead")):
        return None
    return Phrase(index + 1, fixed(year_of(first, 10)), absolute=True)


def feast(line: Line, index: int) -> Phrase | None:
    """`Christmas`, `last Easter`, `Thanksgiving 2025`."""
    step = line[index].get("step")
    at = index + 1 if step is not None else index
    rule = line[at].get("feast")
    if rule is None:
        return None
    year, end = trailing_year(line, at + 1)
    if year is None:
        year, end = _stepped_year(line, at + 1)
    return Phrase(end, _feast_meaning(rule, year, step), single=True, absolute=bool(year and year > 1000), form="feast")


def _feast_meaning(rule: str, year: int | None, step: int | None) -> Callable[[Scene], Meaning | None]:
    def meaning(scene: Scene) -> Meaning | None:
        def days(of: int) -> Days:
            return one_day(feast_day(rule, of, scene.region))

        if year is not None:
            found: Meaning | None = Meaning((days(year if year > 1000 else scene.today.year + year),))
        elif step is not None:
            found = _stepped(scene, step, days)
        else:
            found = _yearly(scene, days)
        return found and Meaning(found.choices, found.certain and not is_local(rule, scene.region))

    return meaning


CALENDAR_RULES: Final[tuple[tuple[Rule, frozenset[str]], ...]] = (
    (stamp, frozenset({"stamp", "han"})),
    (numeric, frozenset({"numeric"})),
    (month_day, frozenset({"weekday", "month", "number", "ordinal", "article"})),
    (nth_of_month, frozenset({"article", "ordinal", "number"})),
    (day_of_month, frozenset({"weekday", "article", "number", "ordinal"})),
    (feast, frozenset({"feast", "step"})),
    (quarter, frozenset({"article", "ordinal", "word"})),
    (month, frozenset({"month", "step"})),
    (season, frozenset({"season", "step", "article"})),
    (year, frozenset({"number", "mark"})),
)
"""Each rule with the kinds and tags of the token it can begin with."""
