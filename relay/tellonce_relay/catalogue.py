"""The bot's texts by key, in the reader's language. The texts are in `bot_texts.toml` and in the file that the bot and the
page share."""

import re
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime, timedelta
from functools import cache
from importlib.resources import files
from typing import Any, Final, Literal

from tellonce.catalogues import Texts, in_language, texts_of
from tellonce.server_text import ServerText
from tellonce_relay.command_table import MENU

Language = Literal["en", "de", "es", "ru"]
LANGUAGES: Final[tuple[Language, ...]] = ("en", "de", "es", "ru")
_BY_CODE: Final[dict[str, Language]] = {language: language for language in LANGUAGES}

_language: ContextVar[Language] = ContextVar("language", default="en")


def language_of(code: str | None) -> Language:
    """The language of a Telegram code such as `de-AT`; English if the bot does not speak it."""
    short = (code or "").lower().partition("-")[0]
    return _BY_CODE.get(short, "en")


def current_language() -> Language:
    """The language code of the current conversation."""
    return _language.get()


@contextmanager
def use_language(language: Language) -> Generator[None]:
    """Use the language `language` for texts within this block and in tasks that the block starts."""
    token = _language.set(language)
    try:
        yield
    finally:
        _language.reset(token)


def phrase(key: str, **values: Any) -> str:
    """The text for a key such as `forget.kept`, with its placeholders filled in. Raises KeyError."""
    entry = entries(current_language())[key]
    text: str = entry[plural_form(current_language(), values["n"])] if isinstance(entry, Mapping) else entry
    return text.format(**values)


def server_text(text: ServerText) -> str:
    """The bot's own sentence for a text of the server, or else the server's text."""
    return (
        phrase(f"server.{text.code}", **text.values)
        if f"server.{text.code}" in entries(current_language())
        else str(text)
    )


def command_description(command: str) -> str:
    """The description of a command in the menu, such as `What I know about you` for `memory`."""
    text = phrase(f"menu.{command}")
    return text[:1].upper() + text[1:]


def counted(noun: str, number: int) -> str:
    """A number with its noun, such as `3 memories`. The nouns are in the catalogue's table `count`."""
    return phrase(f"count.{noun}", n=number)


def words(key: str) -> tuple[str, ...]:
    """A list of the catalogue, such as `orders.remind`."""
    return tuple(entries(current_language())[key])


def in_every_language(key: str) -> tuple[str, ...]:
    """A text in each language. The placeholders of the text are not filled in."""
    return tuple(str(entries(language)[key]) for language in LANGUAGES)


def day(at: datetime, now: datetime, *, weekday: bool = False) -> str:
    """Format a day as `Nov 20` or `Fri, Nov 20`. The year is added unless the day is in the current year."""
    key = ("weekday_day" if weekday else "day") + ("" if at.year == now.year else "_year")
    names = {"month": words("calendar.months")[at.month - 1], "weekday": words("calendar.weekdays")[at.weekday()]}
    return phrase(f"calendar.{key}", day=at.day, year=at.year, **names)


def clock(at: datetime) -> str:
    """Format a time as `9:00 AM`, or as `09:00` in languages that count 24 hours."""
    half = "AM" if at.hour < 12 else "PM"
    return phrase("calendar.time", hour=f"{at:%H}", hour12=at.hour % 12 or 12, minute=f"{at:%M}", half=half)


def moment(at: datetime, now: datetime) -> str:
    """A time as `tomorrow at 9:00 AM` or `Fri, Nov 27 at 6:00 PM`; both arguments are in the person's zone."""
    if at.date() == now.date():
        return phrase("reminder.today_at", time=clock(at))
    if at.date() == now.date() + timedelta(days=1):
        return phrase("reminder.tomorrow_at", time=clock(at))
    return phrase("reminder.at", day=day(at, now, weekday=True), time=clock(at))


def from_english(text: str) -> str:
    """The server's days and times in the conversation's language: `15-16 февраля` for `Feb 15-16`."""
    if current_language() == "en":
        return text
    return _TIME.sub(_time, _DAY.sub(_day, text))


def number(value: float, decimals: int = 0) -> str:
    """Format a number such as `12,345` or `0.52` with the language's own separators."""
    separators = phrase("number.thousands") + phrase("number.decimal")
    return f"{value:,.{decimals}f}".translate(str.maketrans(",.", separators))


@cache
def entries(language: Language) -> Mapping[str, Any]:
    """All entries of a language by their keys: texts, lists, and tables of plural forms."""
    found = in_language(_texts(), language)
    commands = "\n".join(_line_of_help(found, name) for name in MENU)
    return {**found, "help.text": found["help.text"].replace("{commands}", commands)}


@cache
def _texts() -> Texts:
    return texts_of(files("tellonce_relay") / "bot_texts.toml")


def _line_of_help(found: Mapping[str, Any], name: str) -> str:
    """`/remember text – keep something for good`"""
    command = " ".join(filter(None, (f"/{name}", found.get(f"menu.{name}.argument"))))
    return f"{command} – {found.get(f'menu.{name}.help', found[f'menu.{name}'])}"


def plural_form(language: Language, number: int) -> str:
    """Choose the form of a noun for a number, by the rules of Unicode CLDR."""
    if language != "ru":
        return "one" if number == 1 else "other"
    if number % 10 == 1 and number % 100 != 11:
        return "one"
    return "few" if number % 10 in (2, 3, 4) and number % 100 not in (12, 13, 14) else "many"


_DAY: Final = re.compile(rf"\b({'|'.join(entries('en')['calendar.months'])}) (\d\d?(?:[-–]\d\d?)?)(?:, (\d{{4}}))?")
_TIME: Final = re.compile(r"\b\d\d:\d\d [AP]M\b")


def _day(found: re.Match[str]) -> str:
    month = words("calendar.months")[entries("en")["calendar.months"].index(found[1])]
    return phrase("calendar.day_year" if found[3] else "calendar.day", month=month, day=found[2], year=found[3])


def _time(found: re.Match[str]) -> str:
    return clock(datetime.strptime(found[0], "%I:%M %p"))
