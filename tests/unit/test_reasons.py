"""The reasons why a memory is uncertain or has ended. Each stored reason is recognized again, including the texts of
earlier releases."""

import re
from pathlib import Path

import pytest

import tellonce_server
import tellonce_sql
from tellonce.reasons import CODES, codes, reason, reasons_meta
from tellonce_server.api.page.app_bundle import page_texts

VALUES = {
    "day": "2026-03-15",
    "number": "3",
    "unit": "week",
    "measure": "75 mcg",
    "name": "St. Ives",
    "id": 12,
    "tier": "claude",
}


def placeholders(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", text))


@pytest.mark.parametrize("code", CODES)
def test_each_reason_is_recognized_with_its_values(code: str) -> None:
    text = reason(code, **VALUES)
    [found] = codes(text)
    assert (found["text"], found["code"]) == (text, code)
    assert found["values"] == {name: str(VALUES[name]) for name in found["values"]}


def test_a_former_wording_is_recognized() -> None:
    assert codes("It has no quote of the user. she is unsure")[0]["code"] == "no_quote"


def test_several_reasons_and_the_models_own_words_are_separated() -> None:
    text = (
        "The number 3 is not in the quote. 2026-03-15 does not follow from the quote. The name St. Ives is not in the "
        "quote. she is only considering it"
    )
    assert [part.get("code") for part in codes(text)] == ["number", "day", "name", None]
    assert " ".join(part["text"] for part in codes(text)) == text
    assert codes("the day has passed") == [{"text": "the day has passed", "code": "day_passed", "values": {}}]
    assert codes("maybe the day has passed") == [{"text": "maybe the day has passed"}]
    assert codes("") == []


def test_a_result_carries_the_codes_of_its_memories_reasons_only() -> None:
    known, own = "replaced by #7", "said in jest"
    result = {"entries": [{"memory": {"reason": known}}, {"memory": {"reason": own}}, {"memory": {"reason": None}}]}
    part = {"text": known, "code": "replaced_by", "values": {"id": "7"}}
    assert reasons_meta(result) == {"tellonce/reasons": {known: [part]}}
    assert reasons_meta({"reason": own}) == {}


def test_the_reasons_that_statements_of_sql_store_are_recognized() -> None:
    queries = Path(str(tellonce_sql.__file__)).parent / "queries"
    stored = [
        text for file in queries.glob("*.sql") for text in re.findall(r"\breason =[^',]*'([^']+)'", file.read_text())
    ]
    assert len(stored) >= 4
    assert [text for text in stored if "code" not in codes(text)[0]] == []


@pytest.mark.parametrize("language", ["de", "es", "ru", "ja"])
def test_the_page_has_each_reason_in_every_language(language: str) -> None:
    """English readers see the stored text. If this text contains "the user", the page shows its own English text
    instead."""
    texts, english = page_texts(language), page_texts("en")
    assert {key for key in texts if key.startswith("reason.")} == {f"reason.{code}" for code in CODES}
    assert {code for code in CODES if "user" in reason(code, **VALUES)} == {
        x[7:] for x in english if x[:7] == "reason."
    }
    for code in CODES:
        given = codes(reason(code, **VALUES))[0]["values"].keys()
        assert placeholders(texts[f"reason.{code}"]) == set(given) - {"unit"}, code


def test_each_reason_that_is_stored_has_a_code_and_each_code_is_stored() -> None:
    server = Path(str(tellonce_server.__file__)).parents[1]
    folders = (server, server.parent / "summarizer_agent", Path(str(tellonce_sql.__file__)).parent)
    files = [file for folder in folders for kind in ("*.py", "*.sql") for file in folder.rglob(kind)]
    source = "".join(file.read_text() for file in files if file.name != "reasons.py")
    used = {code for call in re.findall(r"\breason\(([^)]*)\)", source) for code in re.findall(r'"(\w+)"', call)}
    used |= {
        part["code"]
        for text in re.findall(r"\breason =[^',]*'([^']+)'", source)
        for part in codes(text)
        if "code" in part
    }
    assert used & set(CODES) == set(CODES)
