"""Grammar rules for times of day: `3pm`, `15:00 UTC`, `half past nine`, `9 in the morning`, `2–4pm`, `this evening`."""

from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from tellonce_text.dates.phrases import skip
from tellonce_text.dates.tokens import Line, line_of
from tellonce_text.dates.zones import zone_at

PARTS: Final = {"morning": (5, 7), "afternoon": (12, 5), "evening": (17, 6), "night": (18, 12)}
"""For each part of the day, its first hour and its length in hours."""


class Clock(NamedTuple):
    """A time of day.

    `half` says whether AM or PM is known. `until` is the hour and minute at which a range ends. `spoken` says whether
    the time is given in words such as `half seven`; such a time may also be in the evening.
    """

    end: int
    hour: int
    minute: int = 0
    half: bool = True
    zone: ZoneInfo | None = None
    until: tuple[int, int] | None = None
    spoken: bool = False


def clock_at(line: Line, index: int, *, beside_day: bool = False) -> Clock | None:
    """Parse a time of day that begins at the token `index`; None if there is none. An hour without AM or PM (`at 9`) is
    accepted only if `beside_day` is true, which means that a day is next to the time."""
    at = skip(line, index, "at", "article")
    at += line[at].get("unit") == "hour" and line[at + 1].kind != "word"  # `alle ore 9`
    led = any(line[n].has("exactly_at") for n in range(index, at))
    found = _one(line, at, bare=beside_day and led, dotted=led and (beside_day or line.language != "en"))
    if found is None:
        return _ranged_from_bare(line, at)
    found = _until(line, found)
    return _zoned(line, _in_part(line, found))


def one_clock(line: Line, at: int) -> Clock | None:
    """Parse one time of day, or a bare hour. If the time begins a range, the caller parses the end of the range."""
    return _one(line, at, bare=True)


def awake(clock: Clock) -> int:
    """The hour of the clock, from 0 to 24. If AM or PM is unknown, it is the hour when people are awake: 1 to 6 become
    13 to 18."""
    return clock.hour if clock.half or not 1 <= clock.hour <= 6 else clock.hour + 12


def clocks(text: str) -> list[Clock]:
    """The times of day in a text. An hour without AM or PM is not included."""
    line = line_of(text)
    found = (clock_at(line, index) for index in range(len(line))) if line else ()
    return [clock for clock in found if clock]


def _one(line: Line, at: int, *, bare: bool, dotted: bool = False) -> Clock | None:
    token = line[at]
    if token.kind == "clock":
        return _halved(line, Clock(at + 1, int(token.parts[0] or 0), int(token.parts[1] or 0)))
    dotted = dotted or line[at + 1].has("half_of_day") or line[at + 1].has("o_clock")
    if dotted and token.kind == "numeric" and token.parts[1] == "." and not token.parts[3]:
        return _halved(line, Clock(at + 1, int(token.parts[0] or 0), int(token.parts[2] or 0)))
    if token.has("noon"):
        return Clock(at + 1, token.get("noon"))
    spoken = _spoken(line, at)
    if spoken:
        return spoken._replace(spoken=True)
    hour = _hour(line, at)
    if hour is None:
        return None
    if token.kind == "number" and token.suffix in _GLUED:
        return _in_half(Clock(at + 1, hour), _GLUED[token.suffix])
    minutes = _added_minutes(line, at + 1)
    if minutes:
        return Clock(at + 3, hour, minutes, half=hour > 12)
    if line[at + 1].has("half_of_day"):
        return _in_half(Clock(at + 2, hour), line[at + 1].get("half_of_day"))
    if token.suffix == "h" or line[at + 1].has("hour_h"):
        end = at + (1 if token.suffix else 2)
        after = line[end]  # `9 h 30`
        whole = after.kind == "number" and not after.suffix and len(after.word) == 2 and (after.value or 0) < 60
        return Clock(end + whole, hour, (after.value or 0) if whole else 0)
    if line[at + 1].has("o_clock"):
        german = line[at + 1].word == "uhr"
        end = at + 3 if german and line[at + 2].kind == "number" and not line[at + 2].suffix else at + 2
        minute = line[at + 2].value or 0 if end == at + 3 else 0
        return Clock(end, hour, minute if minute < 60 else 0, half=german or hour > 12)
    return _bare_hour(line, at, hour, bare=bare)


_GLUED: Final = {"am": "am", "pm": "pm", "a.m": "am", "p.m": "pm"}


def _added_minutes(line: Line, index: int) -> int:
    """The minutes in `las ocho y media`, `le 20 e 30`, `às 8 e 15`; 0 if there are none."""
    named = line[index + 1]
    if line.language not in {"es", "it", "pt"} or not line[index].has("and"):
        return 0
    value = _SPOKEN_MINUTES.get(named.word, named.value if not named.suffix else None) or 0
    return value if value % 5 == 0 and value < 60 and not line[index + 2].has("unit") else 0


_SPOKEN_MINUTES: Final = {"media": 30, "mezza": 30, "mezzo": 30, "meia": 30, "cuarto": 15}


def _bare_hour(line: Line, at: int, hour: int, *, bare: bool) -> Clock | None:
    """Parse `9 in the morning`, or a bare hour such as `at 9` next to a day."""
    if line[at].suffix:  # an amount, as in `20mg in the morning`
        return None
    end = at + 2 if line.language == "ru" and line[at + 1].get("unit") == "hour" else at + 1
    named = line[end].has("part") or (line[end].get("step") in {0, -1} and line[end + 1].has("part"))
    if (named and not _LED.isdisjoint(line[at - 1].tags)) or _part_index(
        line, end
    ) is not None:  # `at 9 this morning`, `9 in the morning`
        return Clock(end, hour, half=False)
    following = line[at + 1]
    counted = following.has("unit") or following.has("month") or following.word in {"%", "/", ":", "-"}
    return Clock(at + 1, hour, half=hour > 12) if bare and not counted else None


_LED: Final = frozenset({"at", "since", "by", "to", "after", "before"})


def _hour(line: Line, at: int) -> int | None:
    token = line[at]
    value = token.value if token.kind == "number" else token.get("number")
    return value if value is not None and 0 <= value <= 24 else None


def _hour_begun(line: Line, at: int) -> int | None:
    """The hour in `halb sieben`, or in `половине седьмого`, which has an ordinal."""
    ordinal = line[at].get("ordinal") if not line[at + 1].has("unit") else None
    return _hour(line, at) or (ordinal if ordinal and 1 <= ordinal <= 12 else None)


def _spoken(line: Line, at: int) -> Clock | None:
    """Parse `half past nine`, `quarter to five`, `ten past three`."""
    start = at + 1 if line[at].has("one") else at
    if line[start].has("half_before") and (next_hour := _hour_begun(line, start + 1)):
        return Clock(start + 2, (next_hour - 2) % 12 + 1, 30, half=False)
    british = line[start].has("half") and line.language == "en" and line[start - 1].has("exactly_at")
    if british and (hour := _hour(line, start + 1)) and hour <= 12:
        return None if line[start + 2].has("unit") else Clock(start + 2, hour, 30, half=False)
    minutes = 30 if line[start].has("half") else 15 if line[start].has("quarter_hour") else _hour(line, start)
    mark = line[start + 1]
    hour = _hour(line, start + 2)
    if (
        minutes is None
        or hour is None
        or not 1 <= hour <= 12
        or not (mark.has("past_hour") or mark.has("to_hour"))
        or line[at - 1].word == "from"
    ):
        return None
    named = line[start].has("quarter_hour") or line[at - 1].has("exactly_at")
    if (mark.word == "to" or line.language != "en") and (not named or minutes == 30):
        return None
    earlier = mark.has("to_hour")
    clock = Clock(start + 3, (hour - 2) % 12 + 1 if earlier else hour, 60 - minutes if earlier else minutes, half=False)
    return _halved(line, clock)


def _halved(line: Line, clock: Clock) -> Clock | None:
    if clock.minute > 59 or clock.hour > 24:
        return None
    if line[clock.end].has("half_of_day"):
        return _in_half(clock._replace(end=clock.end + 1), line[clock.end].get("half_of_day"))
    if line[clock.end].word == "uhr":
        return clock._replace(end=clock.end + 1)
    text = line[clock.end - 1].word
    of_24 = clock.hour > 12 or clock.hour == 0 or text.startswith("0") or line.language != "en"
    return clock._replace(half=clock.half and (of_24 or zone_at(line, clock.end) is not None))


def _in_half(clock: Clock, half: str) -> Clock | None:
    if not 1 <= clock.hour <= 12:
        return clock if clock.hour <= 23 and half == "pm" else None
    return clock._replace(hour=clock.hour % 12 + (12 if half == "pm" else 0), half=True)


def _in_part(line: Line, clock: Clock) -> Clock:
    """Add the part of the day after a time, as in `9 in the morning`, `at 8 at night`, `6 de la tarde`."""
    at = _part_index(line, clock.end)
    if at is None:
        return clock
    part = line[at].get("part")
    of_24 = clock.half and line[clock.end - 1].word != "uhr"
    if of_24 or not 1 <= clock.hour <= 12:
        return clock._replace(end=at + 1)
    return clock._replace(end=at + 1, hour=hour_in_part(clock.hour, part), half=True)


def hour_in_part(hour: int, part: str) -> int:
    """Convert an hour from 1 to 12 in a part of the day to an hour from 0 to 23."""
    if part == "morning":
        return hour % 12
    if part == "night":
        return hour + 12 if 5 <= hour < 12 else hour % 12
    return hour % 12 + 12


def _part_index(line: Line, index: int) -> int | None:
    """The index of a part of the day such as `morning`, after words such as `in the`, `at` or `de la`."""
    at = skip(line, index, "part_lead") if line[index].has("part_lead") else index
    if at == index and line[at].word in {"in", "at"}:
        at = skip(line, at + 1, "article")
    if at == index and line.language == "en":
        return None
    counted = line[at].has("unit") and (line[at + 1].has("beside") or line[at + 1].has("ago"))  # `три дня спустя`
    named = line[at].has("day") and not (at > index and line[at].has("day_only"))
    return at if line[at].has("part") and not named and not counted else None


def _until(line: Line, clock: Clock) -> Clock:
    """Add the end of a range, as in `2pm–4pm` or `from 9:00 to 11:00`."""
    if line[clock.end].word not in {"-", "–", "—"} and not line[clock.end].has("to"):
        return clock
    end = _one(line, clock.end + 1, bare=False)
    if end is None:
        return clock
    return clock._replace(end=end.end, until=(end.hour, end.minute))


def _ranged_from_bare(line: Line, at: int) -> Clock | None:
    """Parse a range such as `2–4pm`, where the AM or PM of the second hour also applies to the first."""
    hour = _hour(line, at)
    if hour is None or line[at].suffix or not (line[at + 1].word in {"-", "–", "—"} or line[at + 1].has("to")):
        return None
    end = _one(line, at + 2, bare=False)
    if end is None or not end.half or line[at + 2].kind == "clock" or not 1 <= hour <= 12:
        return None
    start = hour % 12 + (12 if end.hour >= 12 and hour % 12 <= end.hour - 12 else 0)
    return _zoned(line, Clock(end.end, start, until=(end.hour, end.minute)))


def _zoned(line: Line, clock: Clock) -> Clock:
    found = zone_at(line, clock.end)
    return clock._replace(zone=found[0], end=found[1], half=clock.half) if found else clock


def part_at(line: Line, index: int) -> tuple[str, int] | None:
    """Parse a part of the day that follows a day: `morning`, `in the evening`, `por la tarde`."""
    at = index
    if line[at].has("part_lead") or line[at].word in {"in", "at", "during"}:
        at = skip(line, at + 1, "article", "part_lead")
    token = line[at]
    if not token.has("part") or token.word in {"mornings", "evenings", "nights", "afternoons"}:
        return None
    return token.get("part"), at + 1
