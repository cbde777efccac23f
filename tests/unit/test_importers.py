"""Exports in the documented formats are read. The messages get the form in which the person saw them."""

import json
from pathlib import Path

import pytest

from tellonce_cli.importers.files import Source
from tellonce_cli.importers.items import ImportFailed
from tellonce_cli.importers.recognition import READERS
from tellonce_server.services.import_memories import ImportMemory
from tellonce_server.services.import_messages import ImportMessage
from tests.stubs import exports


def silent(_: int) -> None:
    pass


def messages_of(kind: str, path: Path, me: str | None = None) -> list[ImportMessage]:
    return [item for item in READERS[kind](Source(path, me=me), silent) if isinstance(item, ImportMessage)]


def memories_of(kind: str, path: Path) -> list[str]:
    return [item.content for item in READERS[kind](Source(path), silent) if isinstance(item, ImportMemory)]


def test_a_telegram_export_keeps_topics_replies_media_and_odd_escapes(tmp_path: Path) -> None:
    planted = exports.telegram(tmp_path / "result.json", 2000)
    talk = messages_of("telegram", tmp_path / "result.json")
    assert len({m.message_id for m in talk}) == len(talk) > 1900
    assert {m.role for m in talk} == {"user", "assistant"}
    assert {m.message_thread_id for m in talk} >= {None, 2, 3}
    assert any(m.reply_to_message_id for m in talk)
    assert {"[photo]", "[voice message]"} <= {m.content for m in talk}
    assert any(m.content.startswith("See ") and m.content.endswith(" ok") for m in talk)
    assert set(planted.values()) <= {m.content for m in talk}
    assert not any("CONTROL" in m.content or "\\x0b" in m.content for m in talk)


def test_the_progress_reaches_the_size_of_the_file(tmp_path: Path) -> None:
    exports.telegram(tmp_path / "result.json", 500)
    seen: list[int] = []
    list(READERS["telegram"](Source(tmp_path / "result.json"), seen.append))
    assert seen[-1] == (tmp_path / "result.json").stat().st_size
    assert seen == sorted(seen)


def test_of_a_chatgpt_conversation_the_shown_branch_is_read(tmp_path: Path) -> None:
    exports.chatgpt(tmp_path / "conversations.json")
    talk = messages_of("chatgpt", tmp_path / "conversations.json")
    assert [m.content for m in talk] == ["I have a cat called Mochi", "Mochi is a lovely name"]
    assert len({m.message_thread_id for m in talk}) == 1
    assert memories_of("chatgpt", tmp_path / "conversations.json") == ["I am a nurse in Oslo"]


def test_a_claude_export_gives_spoken_words_and_memories(tmp_path: Path) -> None:
    exports.claude(tmp_path / "export")
    assert [m.content for m in messages_of("claude", tmp_path / "export")] == ["I play the cello", "How nice"]
    assert memories_of("claude", tmp_path / "export") == ["Plays the cello in a quartet"]


def test_json_lines_without_ids_get_stable_ones(tmp_path: Path) -> None:
    file = tmp_path / "talk.jsonl"
    file.write_text(json.dumps({"role": "user", "content": "hi", "sent_at": "2026-01-01T00:00:00Z"}) + "\n")
    assert [m.message_id for m in messages_of("jsonl", file)] == [m.message_id for m in messages_of("jsonl", file)]


@pytest.mark.parametrize("kind", ["telegram", "chatgpt", "claude", "jsonl"])
def test_a_file_that_is_no_export_is_refused_with_a_sentence(tmp_path: Path, kind: str) -> None:
    (tmp_path / "x.json").write_text("this is no export")
    with pytest.raises(ImportFailed, match=r"is not a|line 1|no messages"):
        list(READERS[kind](Source(tmp_path / "x.json"), silent))
