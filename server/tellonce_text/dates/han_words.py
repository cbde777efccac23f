"""The Chinese and Japanese words for days and spans: the pattern that finds them, and whether a word is whole."""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Final, Literal

from tellonce_text.dates.lexicon import tables

Unit = Literal["day", "week", "month", "year"]

_UNITS: Final[tuple[Unit, ...]] = ("day", "week", "month", "year")
_LETTER: Final = re.compile(r"[\u3005\u3041-\u3096\u30a1-\u30fa\u30fc\u3400-\u9fff]")
"""Matches a letter of a Chinese or Japanese word."""
_KANA: Final = re.compile(r"[\u3041-\u3096\u30a1-\u30fa]")
_KATAKANA: Final = re.compile(r"[\u30a1-\u30b4\u30b6-\u30fa\u30fc]\Z")
"""Matches Katakana except `サ`, because `サ来週` is another week than `来週`."""
_KANA_WITHIN: Final = 60
"""The text is Japanese if it contains Kana within this number of characters beside a word."""
_OR: Final = ("或", "或者", "还是", "還是", "か")
_WEEKDAY: Final = re.compile(
    r"\s?(?:[(（](?:周|週|星期|礼拜)?([一二三四五六日天月火水木金土])|(?:周|週|星期|礼拜)([一二三四五六日天])|([月火水木金土日])曜)"
)
_LONGEST: Final = 4
"""Number of characters beside a word that can show whether the word is whole."""
_NUMBER: Final = r"(?:\d\d?|[二三]?十[一二三四五六七八九]?|[一二三四五六七八九])"
_OF: Final = "[の的]?"


@cache
def pattern(*, named: bool) -> str:
    """A regular expression for dates and words. With `named`, the parts of a match are groups with a name."""
    month_day = rf"(?:(?P<m>{_NUMBER})月(?:(?P<md>{_NUMBER})[日号號])?)"
    until = r"(?:(?:から|[到至~〜～–—-])(?:(?P<um>\d\d?)月)?(?P<ud>\d\d?)[日号號])?"
    whole = (
        rf"(?P<day>{_any(steps('day'))})"
        rf"|(?P<week>{_any(steps('week'))})(?:{_OF}(?P<weekday>{_any(weekdays())})|(?P<weekend>末))?"
        rf"|(?P<month>{_any(steps('month'))})(?:{_OF}(?P<d>{_NUMBER})[日号號])?"
        rf"|(?P<year>{_any(steps('year'))})(?:{_OF}{month_day})?"
        rf"|(?<!\d)(?:(?:(?P<y>\d{{4}})年)?(?P<nm>\d\d?)月(?:(?P<nd>\d\d?)[日号號]{until})?|(?P<alone>\d\d?)日)(?![間间前後后内])"
    )
    # The first character is checked first, because most texts contain none of these words.
    first = "".join(sorted({word[0] for unit in _UNITS for word in steps(unit)}))
    found = rf"(?=[\d{first}])(?:{whole})"
    return found if named else re.sub(r"\(\?P<\w+>", "(?:", found)


@cache
def steps(unit: Unit) -> Mapping[str, int]:
    """The words for a day, week, month or year, each with its distance from today or from the current unit."""
    data = tables("han")
    if unit in ("day", "year"):
        return {word: int(step) for step, words in data[unit].items() for word in words.split()}
    names = data["unit"][unit].split()
    return {
        word + name: int(step)
        for step, words in data[f"{unit}_step"].items()
        for word in words.split()
        for name in names
    }


@cache
def weekdays() -> Mapping[str, int]:
    """The words for a weekday after a week, each with its number. Japanese also uses the first character alone."""
    found = {word: int(number) for number, words in tables("han")["weekday"].items() for word in words.split()}
    short = {word[0]: number for word, number in found.items()}
    return short | {"天": found["日"]} | found


def is_whole(text: str, start: int, end: int, kind: Unit) -> bool:
    """Whether the characters on both sides of a word show that it is no part of a longer word."""
    return _may_begin(text, start) and not text.startswith(_listed("following", kind), end)


def is_alternative(text: str, start: int, end: int) -> bool:
    """Whether another day may be meant instead, as in `下周二或周三`."""
    return text.startswith(_listed("following", "either"), end) or text[max(0, start - _LONGEST) : start].endswith(_OR)


def weekday_after(text: str, end: int) -> int | None:
    """The weekday that follows a date, as in `12月3日(木)` or `12月3日星期四`; None if there is none."""
    found = _WEEKDAY.match(text, end)
    return weekdays()[found[found.lastindex or 0]] if found else None


def _may_begin(text: str, start: int) -> bool:
    """Whether a word may begin at `start`. It may follow the words in `connectors`, but not the words in `rivals`. In
    Chinese, it may also follow any other word if its first character is in `plain`. Such a character rarely ends
    another word."""
    if start == 0 or not _LETTER.match(text[start - 1]):
        return True
    before = text[max(0, start - _LONGEST) : start]
    if before.endswith(_listed("boundary", "rivals")):
        return False
    if before.endswith(_listed("boundary", "connectors")) or _KATAKANA.search(before):
        return True
    japanese = _KANA.search(text, max(0, start - _KANA_WITHIN), start + _KANA_WITHIN)
    return not japanese and text[start] in _listed("boundary", "plain")


def is_date(text: str, start: int, end: int, *, bare: bool) -> bool:
    """Whether a date such as `3月15日` is complete. If it has no month (`bare`), it may be a number of days instead."""
    before = text[max(0, start - _LONGEST) : start]
    if before.endswith(_listed("boundary", "elsewhere")):
        return False
    if not bare:
        return True
    after = text[end : end + _LONGEST]
    led = not before or not _LETTER.match(before[-1]) or before.endswith(_listed("boundary", "connectors"))
    count = after.startswith("に") and bool(re.match(r"[\d一二三何]", after[1:2]))
    ended = not after or not _LETTER.match(after[0]) or after.startswith(_listed("following", "bare"))
    return led and ended and not count


def is_repeated(text: str, start: int) -> bool:
    """Whether a word such as `每月` before a date makes it a repetition."""
    return text[max(0, start - _LONGEST) : start].endswith(_listed("boundary", "repeated"))


def is_weekday(text: str, weekday: int, end: int) -> bool:
    """Whether the weekday from `weekday` to `end` is no part of another word, as in `下周一起` (together next week)."""
    other = text.startswith(_listed("following", "weekday"), weekday)
    counted = end == weekday + 1 and text.startswith(_listed("following", "counted"), end)
    return not other and not counted


@cache
def _lists() -> dict[str, dict[str, tuple[str, ...]]]:
    han = tables("han")
    return {name: {key: tuple(words.split()) for key, words in han[name].items()} for name in ("boundary", "following")}


def _listed(table: str, key: str) -> tuple[str, ...]:
    return _lists()[table][key]


def _any(words: Iterable[str]) -> str:
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))
