"""Grammar rules for times of day: `3pm`, `15:00 UTC`, `half past nine`, `9 in the morning`, `2–4pm`, `this evening`."""

from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from tellonce_text.dates.phrases import DASHES, skip
from tellonce_text.dates.tokens import Line, line_of
from tellonce_text.dates.zones import zone_at

PARTS: Final = {"morning": (5, 7), "afternoon": (12, 5), "evening": (17, 6), "night": (18, 12)}
"""For each part of the day, its first hour and its length in hours."""
_GLUED: Final = {"am": "am", "pm": "pm", "a.m": "am", "p.m": "pm"}
_SPOKEN_MINUTES: Final = {"media": 30, "mezza": 30, "mezzo": 30, "meia": 30, "cuarto": 15}
_LED: Final = frozenset({"at", "since", "by", "to", "after", "before"})
_KEPT_BELOW: Final = {"morning": 13, "evening": 5, "night": 7}
"""For each part of the day, a limit for hours of the 24-hour clock. An hour below the limit is not moved to the other
half of the day."""
_REPEATED: Final = frozenset({"mornings", "evenings", "nights", "afternoons"})


class Clock(NamedTuple):
    """A time of day.

    `half` says whether AM or PM is known. `until` is the hour and minute at which a range ends. `spoken` says whether
    the time is given in words such as `half seven`. Such a time can be in the morning or in the evening.
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
    end = _one(line, found.end + 1, bare=False) if found and _is_to(line, found.end) else None  # `2pm–4pm`
    found = found._replace(end=end.end, until=(end.hour, end.minute)) if found and end else found
    found = _in_part(line, found) if found else _ranged_from_bare(line, at)
    zone = zone_at(line, found.end) if found else None
    return found._replace(zone=zone[0], end=zone[1]) if found and zone else found


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
    token, after = line[at], line[at + 1]
    dotted = dotted or after.has("half_of_day") or after.has("o_clock")
    if token.kind == "clock" or (dotted and token.kind == "numeric" and token.parts[1] == "." and not token.parts[3]):
        minute = int(token.parts[1 if token.kind == "clock" else 2] or 0)
        return _halved(line, Clock(at + 1, int(token.parts[0] or 0), minute)) if minute < 60 else None
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
    if after.has("half_of_day"):
        return _in_half(Clock(at + 2, hour), after.get("half_of_day"))
    minutes = _added_minutes(line, at + 1)
    if minutes:
        return Clock(at + 3, hour, minutes, half=hour > 12)
    if token.suffix == "h" or after.has("hour_h"):  # `9 h 30`
        end = at + (1 if token.suffix else 2)
        more = line[end].value if len(line[end].word) == 2 else None
        return Clock(end, hour) if more is None or more > 59 or line[end].suffix else Clock(end + 1, hour, more)
    if after.has("o_clock"):  # `9 Uhr 30`
        german, named = after.word == "uhr", line[at + 2]
        more = named.value if german and not named.suffix else None
        found = Clock(at + 2 + (more is not None), hour, half=german or hour > 12)
        return found._replace(minute=more) if more and more < 60 else found
    return _bare_hour(line, at, hour, bare=bare)


def _added_minutes(line: Line, index: int) -> int:
    """The minutes in `las ocho y media`, `le 20 e 30`, `às 8 e 15`; 0 if there are none."""
    named = line[index + 1]
    if line.language not in {"es", "it", "pt"} or not line[index].has("and"):
        return 0
    value = _SPOKEN_MINUTES.get(named.word, named.value if not named.suffix else None) or 0
    return value if value % 5 == 0 and value < 60 and not line[index + 2].has("unit") else 0


def _bare_hour(line: Line, at: int, hour: int, *, bare: bool) -> Clock | None:
    """Parse `9 in the morning`, or a bare hour such as `at 9` next to a day."""
    after = line[at + 1]
    if line[at].suffix:  # `20mg in the morning` is an amount
        return None
    end = at + 1 + (line.language == "ru" and after.get("unit") == "hour")
    named = line[end].has("part") or (line[end].get("step") in {0, -1} and line[end + 1].has("part"))
    led = named and not _LED.isdisjoint(line[at - 1].tags)  # `at 9 this morning`
    if led or _part_index(line, end) is not None:
        return Clock(end, hour, half=False)
    counted = after.has("unit") or after.has("month") or after.word in {"%", "/", ":", "-"}
    return Clock(at + 1, hour, half=hour > 12) if bare and not counted else None


def _hour(line: Line, at: int) -> int | None:
    token = line[at]
    value = token.value if token.kind == "number" else token.get("number")
    return value if value is not None and 0 <= value <= 24 else None


def _spoken(line: Line, at: int) -> Clock | None:
    """Parse `half past nine`, `quarter to five`, `ten past three`, `halb sieben`."""
    start = at + line[at].has("one")
    first, mark, before = line[start], line[start + 1], line[start - 1]
    if first.has("half_before"):
        hour = _hour(line, start + 1) or (mark.get("ordinal") if not line[start + 2].has("unit") else None)
        return Clock(start + 2, (hour - 2) % 12 + 1, 30, half=False) if hour and 1 <= hour <= 12 else None
    if first.has("half") and line.language == "en" and before.has("exactly_at"):  # `at half seven`
        hour = _hour(line, start + 1)
        if hour and hour <= 12:
            return None if line[start + 2].has("unit") else Clock(start + 2, hour, 30, half=False)
    minutes = 30 if first.has("half") else 15 if first.has("quarter_hour") else _hour(line, start)
    hour = _hour(line, start + 2)
    if minutes is None or hour is None or not 1 <= hour <= 12 or line[at - 1].word == "from":
        return None
    named = first.has("quarter_hour") or line[at - 1].has("exactly_at")
    unclear = (mark.word == "to" or line.language != "en") and (not named or minutes == 30)
    if unclear or not (mark.has("past_hour") or mark.has("to_hour")):
        return None
    earlier = mark.has("to_hour")
    clock = Clock(start + 3, (hour - 2) % 12 + 1 if earlier else hour, 60 - minutes if earlier else minutes, half=False)
    return _halved(line, clock)


def _halved(line: Line, clock: Clock) -> Clock | None:
    """Add AM or PM to the time, if AM or PM follows it."""
    after = line[clock.end]
    if after.has("half_of_day"):
        return _in_half(clock._replace(end=clock.end + 1), after.get("half_of_day"))
    if after.word == "uhr":
        return clock._replace(end=clock.end + 1)
    padded = line[clock.end - 1].word.startswith("0") or line.language != "en"
    of_24 = clock.hour > 12 or clock.hour == 0 or padded or zone_at(line, clock.end) is not None
    return clock._replace(half=clock.half and of_24)


def _in_half(clock: Clock, half: str) -> Clock | None:
    if not 1 <= clock.hour <= (12 if half == "am" else 23):
        return None
    return clock._replace(hour=clock.hour % 12 + (12 if half == "pm" else 0), half=True)


def _in_part(line: Line, clock: Clock) -> Clock:
    """Add the part of the day after a time, as in `9 in the morning`, `at 8 at night`, `6 de la tarde`."""
    at = _part_index(line, clock.end)
    if at is None:
        return clock
    return in_part(clock, line[at].get("part"))._replace(end=at + 1)


def in_part(clock: Clock, part: str | None) -> Clock:
    """The time in a part of the day, which decides AM or PM. Without the part, `8 Uhr` is in the morning, but in
    `jeden Abend um 8 Uhr`, it is in the evening."""
    known = clock.half and clock.hour < _KEPT_BELOW.get(part or "", 0)
    if part is None or known or not 1 <= clock.hour <= 12:
        return clock
    early = part == "morning" or (part == "night" and not 5 <= clock.hour < 12)
    early = early or (part == "afternoon" and 10 <= clock.hour < 12)  # `heute Mittag um 11:30`
    return clock._replace(hour=clock.hour % 12 + (0 if early else 12), half=True)


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


def _is_to(line: Line, index: int) -> bool:
    return line[index].word in DASHES or line[index].has("to")


def _ranged_from_bare(line: Line, at: int) -> Clock | None:
    """Parse a range such as `2–4pm`, where the AM or PM of the second hour also applies to the first."""
    hour = _hour(line, at) if not line[at].suffix and _is_to(line, at + 1) else None
    end = _one(line, at + 2, bare=False) if hour and hour <= 12 and line[at + 2].kind != "clock" else None
    if hour is None or end is None or not end.half:
        return None
    start = hour % 12 + (12 if end.hour >= 12 and hour % 12 <= end.hour - 12 else 0)
    return Clock(end.end, start, until=(end.hour, end.minute))


def part_at(line: Line, index: int) -> tuple[str, int] | None:
    """Parse a part of the day that follows a day: `morning`, `in the evening`, `por la tarde`."""
    at = index
    if line[at].has("part_lead") or line[at].word in {"in", "at", "during"}:
        at = skip(line, at + 1, "article", "part_lead")
    token = line[at]
    return (token.get("part"), at + 1) if token.has("part") and token.word not in _REPEATED else None
