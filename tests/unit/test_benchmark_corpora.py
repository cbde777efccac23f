"""Evaluation files are read into dialogues. Sessions are in time order, and each question names the turns of its
evidence."""

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.corpora import locomo, longmemeval
from benchmarks.generator import corpus

TALKS = Path(__file__).parents[2] / "benchmarks" / "talks"


def written(folder: Path, content: list[dict[str, Any]]) -> Path:
    file = folder / "set.json"
    file.write_text(json.dumps(content))
    return file


def test_a_talk_of_two_becomes_turns_with_speakers_and_questions_with_the_numbers_of_their_evidence(
    tmp_path: Path,
) -> None:
    talk = {
        "speaker_a": "Ana",
        "speaker_b": "Ben",
        "session_2_date_time": "1:56 pm on 8 May, 2023",
        "session_2": [{"speaker": "Ben", "dia_id": "D2:1", "text": "Look!", "blip_caption": "a red kite"}],
        "session_1_date_time": "7 May 2023",
        "session_1": [{"speaker": "Ana", "dia_id": "D1:1", "text": "I paint."}],
    }
    asked = [
        {"question": "Who paints what?", "category": 1, "evidence": ["D1:1; D2:1"]},
        {"question": "Nothing?", "category": 4, "evidence": []},
    ]
    [dialogue] = locomo(written(tmp_path, [{"conversation": talk, "qa": asked}]))
    assert [(t.speaker, t.role, t.text) for t in dialogue.turns] == [
        ("Ana", "user", "I paint."),
        ("Ben", "assistant", "Look! [shares a red kite]"),
    ]
    assert [(p.kind, p.evidence) for p in dialogue.probes] == [("multi-hop", (1, 2))]


def test_a_talk_with_an_assistant_is_known_by_its_speaker_and_its_questions_name_their_kind(tmp_path: Path) -> None:
    talk = {
        "speaker_a": "user",
        "speaker_b": "assistant",
        "session_1_date_time": "7 May 2023",
        "session_1": [{"speaker": "user", "dia_id": "D1:1", "text": "I paint."}],
    }
    asked = [{"question": "What is my hobby?", "category": "preference", "evidence": ["D1:1"]}]
    [dialogue] = locomo(written(tmp_path, [{"conversation": talk, "qa": asked}]))
    assert dialogue.regime == "assistant"
    assert [(t.speaker, t.role) for t in dialogue.turns] == [(None, "user")]
    assert [probe.kind for probe in dialogue.probes] == ["preference"]


@pytest.mark.parametrize("file", sorted(TALKS.glob("*.json")), ids=lambda file: file.stem)
def test_every_question_of_the_talks_written_by_hand_names_messages_that_there_are(file: Path) -> None:
    [written_down] = json.loads(file.read_text())
    [dialogue] = locomo(file)
    assert [len(probe.evidence) for probe in dialogue.probes] == [len(qa["evidence"]) for qa in written_down["qa"]]
    assert len(dialogue.probes) >= 50
    assert len({probe.text for probe in dialogue.probes}) == len(dialogue.probes)


def test_sessions_with_an_assistant_are_put_in_order_and_marked_turns_are_the_evidence(tmp_path: Path) -> None:
    entry = {
        "question_id": "q1",
        "question_type": "knowledge-update",
        "question": "When do I go to the gym?",
        "haystack_dates": ["2023/05/21 (Sun) 00:51", "2023/05/20 (Sat) 15:08"],
        "haystack_sessions": [
            [{"role": "user", "content": "Gym moved to Thursday.", "has_answer": True}],
            [{"role": "user", "content": "Gym is on Monday."}, {"role": "assistant", "content": "Noted."}],
        ],
    }
    [dialogue] = longmemeval(written(tmp_path, [entry]))
    assert [t.text for t in dialogue.turns] == ["Gym is on Monday.", "Noted.", "Gym moved to Thursday."]
    assert [p.evidence for p in dialogue.probes] == [(3,)]


def test_a_date_of_no_known_form_is_named(tmp_path: Path) -> None:
    talk = {"session_1_date_time": "the other day", "session_1": []}
    with pytest.raises(ValueError, match="the other day"):
        locomo(written(tmp_path, [{"conversation": talk, "qa": []}]))


def test_the_generator_says_the_same_again_for_the_same_seed_and_every_question_has_its_evidence() -> None:
    first, second = corpus(1, 5), corpus(1, 5)
    assert first == second
    assert {dialogue.regime for dialogue in first} == {"people", "friends", "assistant"}
    for dialogue in first:
        assert len(dialogue.probes) > 30
        assert all(1 <= turn <= len(dialogue.turns) for probe in dialogue.probes for turn in probe.evidence)
        assert all(probe.evidence for probe in dialogue.probes)
