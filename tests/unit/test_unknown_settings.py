"""Misspelled settings are reported with the probable right name."""

import re
from pathlib import Path

import pytest

from tellonce.settings import ServerSettings, load
from tellonce.unknown_settings import known_names, unknown_settings


def test_a_misspelled_name_is_reported_with_the_nearest_and_names_of_other_programs_are_ignored(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_text(
        "TELEGRAM_USERS_ID=1\nANTROPIC_API_KEY=k\nAWS_REGION=x\n# TELLONCE_NO=1\nTELLONCE_BUDGETS__PROFIL=3\n"
        "export TELLONCE_PORT=1\nCHATMEM_PORT=1\nTELLONCE_ZEPPELIN=1\n"
    )
    environment = {"TELLONCE_PROT": "1", "TELLONCE_PARENT_PIPE": "1", "tellonce_url": "x", "ANTROPIC_API_KEY": "k"}
    said = r"(.+) in .+ is not a setting and has no effect; (?:did you mean (.+)\?|docs/reference/settings.md lists the settings)"
    found = {match.groups() for one in unknown_settings(environment, file) if (match := re.fullmatch(said, one))}
    assert found == {
        ("TELLONCE_PROT", "TELLONCE_PORT"),
        ("TELEGRAM_USERS_ID", "TELEGRAM_USER_ID"),
        ("ANTROPIC_API_KEY", "ANTHROPIC_API_KEY"),
        ("TELLONCE_BUDGETS__PROFIL", "TELLONCE_BUDGETS__PROFILE"),
        ("TELLONCE_ZEPPELIN", None),
    }
    first = unknown_settings(environment, tmp_path / "none")[0]
    assert first == "TELLONCE_PROT in the environment is not a setting and has no effect; did you mean TELLONCE_PORT?"


def test_a_configuration_with_embeddings_by_ollama_starts_with_the_local_model_and_is_told_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = {"TELLONCE_EMBEDDINGS": "ollama", "OLLAMA_EMBEDDING_MODEL": "all-minilm"}
    file = tmp_path / ".env"
    file.write_text("".join(f"{name}={value}\n" for name, value in written.items()))
    monkeypatch.setenv("TELLONCE_EMBEDDINGS", "ollama")
    assert load(ServerSettings).embeddings == "local"
    expected = [
        "TELLONCE_EMBEDDINGS=ollama in {} has no effect, because the local model computes all embeddings; "
        "set it to local, or to none to search by words alone",
        "OLLAMA_EMBEDDING_MODEL in {} has no effect, because the local model computes all embeddings; remove it",
    ]
    for place, found in (
        ("the environment", unknown_settings(written, tmp_path / "none")),
        (file, unknown_settings({}, file)),
    ):
        assert list(found) == [sentence.format(place) for sentence in expected]
    assert unknown_settings({"TELLONCE_EMBEDDINGS": "none"}, tmp_path / "none") == ()


def test_every_documented_name_is_known() -> None:
    assert {"TELLONCE_COMPACTION__KEEP", "OLLAMA_HOST", "TELLONCE_URL", "SUMMARIZER_MODEL"} <= known_names()
