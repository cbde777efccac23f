"""The texts of the bot: every language has all of them, with the same placeholders, and the code uses each of them."""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from string import Formatter
from zoneinfo import ZoneInfo

import pytest

import tellonce_cli
import tellonce_relay
from tellonce.contract import PROFILE_LISTS
from tellonce_relay import catalogue
from tellonce_relay.catalogue import LANGUAGES, Language, counted, entries, language_of, phrase, use_language
from tellonce_relay.orders import KINDS, order_of
from tellonce_relay.turn.reminders import wanted_by

SOURCES = "\n".join(
    file.read_text()
    for package in (tellonce_relay, tellonce_cli)
    for file in Path(str(package.__file__)).parent.rglob("*.py")
)
BY_NAME = (
    "menu.",
    "trouble.",
    "count.",
    "kind.",
    "orders.",
    "server.",
    "memory.tab_",
    "reminder.",
    *(f"memory.{name}" for name in PROFILE_LISTS),
)
"""Keys that do not appear literally in a call, because the code composes them or lists them in a table."""


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def forms(entry: object) -> Iterator[str]:
    if isinstance(entry, Mapping):
        yield from entry.values()
    elif isinstance(entry, str):
        yield entry


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_has_every_text_with_the_same_placeholders(language: Language) -> None:
    english, own = entries("en"), entries(language)
    assert own.keys() == english.keys()
    for key, entry in english.items():
        if key == "calendar.time":  # a 24-hour or a 12-hour clock
            continue
        wanted = set[str]().union(*map(placeholders, forms(entry)))
        for form in forms(own[key]):
            # The singular form may contain the number as a word or a digit instead of `{n}`.
            assert placeholders(form) == wanted or placeholders(form) == wanted - {"n"}, (language, key)
        assert type(own[key]) is type(entry), (language, key)
    assert len(own["calendar.months"]) == 12
    assert len(own["calendar.weekdays"]) == 7
    assert all(own[f"orders.{kind}"] for kind in KINDS)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_number_has_its_form_in_every_language(language: Language) -> None:
    nouns = [key.removeprefix("count.") for key in entries(language) if key.startswith("count.")]
    with use_language(language):
        assert all(counted(noun, n) for noun in nouns for n in (0, 1, 2, 5, 11, 21, 102))


@pytest.mark.parametrize("language", LANGUAGES)
def test_labels_that_share_a_row_with_two_others_fit_a_phone(language: Language) -> None:
    due = ("button.done", "button.later", "button.stop_reminder")
    labels = {key: text for key, text in entries(language).items() if key.startswith("memory.tab_") or key in due}
    assert {key for key, text in labels.items() if len(text) > 13} == set()


def test_every_text_is_used_and_every_key_is_there() -> None:
    named = set(re.findall(r"""["']([a-z]+\.[a-z_]+)["']""", SOURCES))
    unused = [key for key in entries("en") if key not in named and not key.startswith((*BY_NAME, "calendar."))]
    assert unused == []
    assert set(re.findall(r'phrase\(\s*"([a-z.]+_?[a-z_]*)"', SOURCES)) <= entries("en").keys()


def test_a_person_is_spoken_with_in_the_language_of_their_telegram() -> None:
    assert [language_of(code) for code in ("de-AT", "ru", "pt", None)] == ["de", "ru", "en", "en"]
    at, now = datetime(2026, 11, 23, 9, 5, tzinfo=UTC), datetime(2026, 11, 22, 9, 0, tzinfo=UTC)
    said = {}
    for language in LANGUAGES:
        with use_language(language):
            said[language] = catalogue.moment(at, now), counted("message", 3)
    assert said["en"] == ("tomorrow at 9:05 AM", "3 messages")
    assert said["de"] == ("morgen um 09:05", "3 Nachrichten")
    assert said["es"] == ("mañana a las 09:05", "3 mensajes")
    assert said["ru"] == ("завтра в 09:05", "3 сообщения")
    assert phrase("forget.kept") == "Kept"


def test_the_servers_days_times_and_numbers_are_written_as_the_reader_writes_them() -> None:
    said = {}
    for language in LANGUAGES:
        with use_language(language):
            days = [catalogue.from_english(text) for text in ("Feb 15-16", "Feb 15, 2024 - Mar 2, 2024", "07:02 PM")]
            said[language] = (*days, catalogue.number(1234567), catalogue.number(0.5, 2))
    assert said["en"] == ("Feb 15-16", "Feb 15, 2024 - Mar 2, 2024", "07:02 PM", "1,234,567", "0.50")
    assert said["de"] == ("15-16. Feb.", "15. Feb. 2024 - 2. März 2024", "19:02", "1.234.567", "0,50")
    assert said["es"] == ("15-16 feb", "15 feb 2024 - 2 mar 2024", "19:02", "1.234.567", "0,50")
    assert said["ru"] == ("15-16 февраля", "15 февраля 2024 - 2 марта 2024", "19:02", "1\u00a0234\u00a0567", "0,50")


@pytest.mark.parametrize(
    ("text", "kind", "rest"),
    [
        ("Help!", "help", ""),
        ("could you please remind me on Friday to call", "remind", "on Friday to call"),
        ("Forget that I am vegetarian.", "forget", "I am vegetarian."),
        ("please delete my address", "forget", "my address"),
        ("Remember: no meetings before ten", "remember", "no meetings before ten"),
        ("What do you know about me?", "know", ""),
        ("thanks!", "nod", ""),
        ("Erinnere mich bitte morgen an Brot", "remind", "morgen an Brot"),
        ("kannst du mich morgen um 9 an den Zahnarzt erinnern", "remind", "morgen um 9 an den Zahnarzt"),
        ("Kannst du mich bitte um 8 daran erinnern, Oma anzurufen?", "remind", "um 8 daran , Oma anzurufen?"),
        ("Ich möchte am Freitag an Brot erinnert werden", "remind", "am Freitag an Brot"),
        ("Kannst du mir helfen?", "help", ""),
        ("Vergiss nicht, mich um 8 an den Müll zu erinnern", "remind", "um 8 an den Müll"),
        ("Don't forget to remind me at 9 to call", "remind", "at 9 to call"),
        ("No olvides recordarme a las 9 llamar", "remind", "a las 9 llamar"),
        ("Не забудь напомнить мне в 9 позвонить", "remind", "в 9 позвонить"),
        ("Zahnarzt morgen um 9, erinnere mich bitte", "remind", "Zahnarzt morgen um 9"),
        ("Dentist tomorrow at 9, please remind me!", "remind", "Dentist tomorrow at 9"),
        ("Можешь напомнить мне в 9 про врача?", "remind", "в 9 про врача?"),
        ("¿Qué sabes de mí?", "know", ""),
        ("Забудь, что я вегетарианец", "forget", "я вегетарианец"),
        ("Write a letter to my landlord", "task", "a letter to my landlord"),
        ("Forget it!", "stop", ""),
        ("Delete my reminders please", "reminders", ""),
        ("Was kannst du?", "help", ""),
        ("Vergiss bitte nicht, dass ich Nüsse meide", "remember", "ich Nüsse meide"),
        ("Olvida lo que te dije de Paul", "forget", "Paul"),
        ("¿Me recuerdas mañana a las 9 llamar?", "remind", "mañana a las 9 llamar?"),
        ("Забудь, пожалуйста, что я люблю чай", "forget", "я люблю чай"),
    ],
)
def test_an_order_is_known_by_its_first_words(text: str, kind: str, rest: str) -> None:
    found = order_of(text)
    assert found is not None
    assert (found.kind, found.rest) == (kind, rest)


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_phrase_begins_the_order_that_lists_it(language: Language) -> None:
    with use_language(language):
        for kind in KINDS:
            for phrase_of_order in catalogue.words(f"orders.{kind}"):
                whole, begun = order_of(phrase_of_order), order_of(f"{phrase_of_order} Xyz")
                assert kind in {found.kind for found in (whole, begun) if found}, (kind, phrase_of_order)


@pytest.mark.parametrize(
    ("language", "text", "what"),
    [
        ("en", "for tomorrow at 18: dentist", "dentist"),
        ("de", "für morgen um 18: Müll rausbringen", "Müll rausbringen"),
        ("es", "para mañana a las 18: dentista", "dentista"),
        ("ru", "завтра в 18: врач", "врач"),
        ("de", "morgen um 18 daran, Tim abzuholen", "Tim abzuholen"),
    ],
)
def test_a_colon_may_separate_the_time_of_a_reminder_from_its_text(language: Language, text: str, what: str) -> None:
    now = datetime(2026, 11, 23, 8, tzinfo=(zone := ZoneInfo("Europe/Berlin")))
    with use_language(language):
        wanted = wanted_by(text, now, zone)
    assert (wanted.what, wanted.at) == (what, datetime(2026, 11, 24, 18, tzinfo=zone))


@pytest.mark.parametrize(
    "text",
    [
        "Remember the trip to Oslo?",
        "I forgot my keys",
        "Helping hands",
        "What do you know about cats?",
        "I stop here",
        "Finde ich gut",
        "Kannst du mich morgen abholen",
        "You never remind me",
        "",
    ],
)
def test_what_only_looks_like_an_order_is_none(text: str) -> None:
    assert order_of(text) is None


@pytest.mark.parametrize(
    ("text", "is_order"),
    [
        ("Delete the old reminder app, I use Todoist now", False),
        ("Remove my broken reminder list from the wall", False),
        ("Cancel the boiler reminder, it is repaired", True),
        ("Cancel my dentist reminder for Friday", True),
    ],
)
def test_a_statement_about_a_thing_with_the_word_reminder_cancels_nothing(text: str, is_order: bool) -> None:
    found = order_of(text)
    assert (found is not None and found.kind == "unremind") == is_order


def test_the_greeting_of_a_person_with_another_memory_names_the_command_that_says_how_to_move_it() -> None:
    assert all("`tellonce doctor`" in text for text in catalogue.in_every_language("start.left_behind"))
