"""The texts of the server: each code has a sentence in every language of the bot and the page, with the same values."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
from pydantic import ValidationError

import tellonce_server
from tellonce.catalogues import LANGUAGES as PAGE_LANGUAGES
from tellonce.contract import Context, RecordMessageArgs
from tellonce.forget_contract import Forgotten
from tellonce.server_text import (
    ServerText,
    TextCode,
    TextFault,
    from_meta,
    invalid,
    texts_of,
    to_meta,
    with_codes,
)
from tellonce_relay.catalogue import LANGUAGES, entries, server_text, use_language
from tellonce_server.api.page.app_bundle import page_texts

SERVER = Path(str(tellonce_server.__file__)).parent


def codes(*literals: object) -> set[str]:
    """The values of these literals, and of the literals inside them."""
    return {value for literal in literals for value in get_args(literal)}


def sent_values() -> Iterator[tuple[str, frozenset[str]]]:
    """Each code in the server's source with the values that are sent with it."""
    for file in SERVER.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            for code in codes_in(node):
                yield code, frozenset(keyword.arg or "" for keyword in getattr(node, "keywords", ()))


def codes_in(node: ast.AST) -> list[str]:
    """The codes that a call passes as a positional argument, or that a table of codes contains."""
    found = node.args if isinstance(node, ast.Call) else []
    return [arg.value for arg in found if isinstance(arg, ast.Constant) and arg.value in codes(TextCode)]


def values() -> dict[str, set[str]]:
    by_code: dict[str, set[str]] = {"argument": {"field"}, **{fault: set() for fault in codes(TextFault)}}
    by_code |= {code: {"reason"} for code in ("backup_failed", "connect_failed", "import_failed")}
    by_code |= {code: set() for code in ("page_request",)}
    for code, named in sent_values():
        assert by_code.setdefault(code, set(named)) == named, code
    return by_code


def placeholders(entry: object) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", str(entry)))


def test_each_code_is_used_and_has_a_sentence_with_its_values_in_every_language() -> None:
    sent = values()
    assert sent.keys() == codes(TextCode)
    bot = {language: entries(language) for language in LANGUAGES}
    page = {language: page_texts(language) for language in PAGE_LANGUAGES}
    for language, texts in (*bot.items(), *page.items()):
        shown = {key.removeprefix("server."): text for key, text in texts.items() if key.startswith("server.")}
        # The numbers that come with `chat_full` are for models.
        assert {code: placeholders(text) for code, text in shown.items()} == {**sent, "chat_full": set()}, language


@pytest.mark.parametrize("content", ["", "a\x00b", "x" * 70_000])
def test_a_fault_of_a_text_has_its_own_code(content: str) -> None:
    with pytest.raises(ValidationError) as raised:
        RecordMessageArgs(role="user", content=content)
    expected = {"": "text_empty", "a\x00b": "text_unstorable"}.get(content, "text_long")
    assert invalid("wrong", raised.value, "record_message").code == expected


def test_another_wrong_argument_is_named() -> None:
    with pytest.raises(ValidationError) as raised:
        RecordMessageArgs.model_validate({"role": "nobody", "content": "a"})
    found = invalid("wrong", raised.value, "record_message")
    assert (found.code, found.values) == ("argument", {"field": "role"})


def test_codes_travel_beside_the_result_and_the_result_stays_as_it_was() -> None:
    notes = (ServerText("New.", "forget_new", n=3), ServerText("Nothing.", "forget_none_ticked"))
    sent = Forgotten(notes=notes)
    plain = json.loads(sent.model_dump_json())
    assert plain["notes"] == ["New.", "Nothing."]
    assert Forgotten.model_json_schema()["properties"]["notes"]["items"] == {"type": "string"}
    got = with_codes(Forgotten.model_validate(plain), to_meta(texts_of(sent)))
    assert [(str(note), note.code, note.values) for note in got.notes] == [
        ("New.", "forget_new", {"n": 3}),
        ("Nothing.", "forget_none_ticked", {}),
    ]
    with use_language("de"):
        assert server_text(got.notes[0]) == "Inzwischen neu oder geändert, deshalb nicht gelöscht: 3."


def test_a_text_without_a_known_code_stays_english() -> None:
    unknown = {"tellonce/texts": [{"code": "of_a_later_release", "values": {"n": 1}}]}
    for text in (*from_meta(["Plain."], None), *from_meta(["Plain."], unknown)):
        with use_language("ru"):
            assert server_text(text) == "Plain."
    assert Context.model_json_schema()["properties"]["notices"]["items"] == {"type": "string"}
