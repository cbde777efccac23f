"""The catalogues of texts: each text has every language of its program, and a text that lacks a language is shown in
English."""

from importlib.resources import files
from pathlib import Path

import pytest

from tellonce import catalogues
from tellonce.catalogues import in_language, texts_of
from tellonce.import_formats import TITLES
from tellonce_relay import catalogue
from tellonce_server.api.page import app_bundle

OWN = """\
[today]
en = "Today"
ru = "Сегодня"
[today.left]
en = { one = "{n} day", other = "{n} days" }
[kind.fact]
en = "known"
[reason.unread]
ru = "не прочитано"
"""
BY_PROGRAM = {
    "bot": (files("tellonce_relay") / "bot_texts.toml", catalogue.LANGUAGES),
    "page": (app_bundle.FILE, catalogues.LANGUAGES),
}


@pytest.mark.parametrize("program", BY_PROGRAM)
def test_each_text_has_every_language_of_its_program(program: str) -> None:
    file, languages = BY_PROGRAM[program]
    missing = [
        f"{key}: {language}"
        for key, entries in texts_of(file).items()
        for language in languages
        # English readers see the reasons as they are stored (tests/unit/test_reasons.py).
        if language not in entries and not (key.startswith("reason.") and language == "en")
    ]
    assert missing == []


def test_a_text_without_a_language_is_english_and_a_programs_own_text_replaces_a_shared_one(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(OWN)
    texts = texts_of(tmp_path / "own.toml")
    russian, english = in_language(texts, "ru"), in_language(texts, "en")
    assert (russian["today"], russian["reason.unread"]) == ("Сегодня", "не прочитано")
    assert russian["today.left"] == {"one": "{n} day", "other": "{n} days"}
    assert "reason.unread" not in english
    assert (english["kind.fact"], english["kind.goal"]) == ("known", "goal")


@pytest.mark.parametrize("language", catalogues.LANGUAGES)
def test_the_page_names_the_programs_whose_exports_it_asks_for(language: str) -> None:
    shown = app_bundle.page_texts(language)["import.drop"]
    assert "{" not in shown
    assert [title for title in TITLES.values() if title not in shown] == []


def test_an_entry_in_a_language_of_no_program_is_refused(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text('[today]\nen = "Today"\nfi = "Tänään"\n')
    with pytest.raises(ValueError, match="fi"):
        texts_of(tmp_path / "own.toml")
