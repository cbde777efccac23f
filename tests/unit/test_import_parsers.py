"""Each program's export in its known forms is parsed into speaker, text, thread and time. Malformed entries are
reported."""

import json
import zipfile
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tellonce.client_settings import SummarizerSettings
from tellonce.settings import Compaction
from tellonce_cli.importers.chatgpt import items_of
from tellonce_cli.importers.claude import messages_of
from tellonce_cli.importers.files import Source
from tellonce_cli.importers.forecast import forecast, measured
from tellonce_cli.importers.items import ImportFailed, Item, KnownAs, LeftOut, Unreadable, left_out
from tellonce_cli.importers.recognition import READERS
from tellonce_cli.importers.telegram import text_of
from tellonce_server.services.import_memories import ExportedMemory, ImportMemory
from tellonce_server.services.import_messages import ImportMessage
from tellonce_text.own_words import own_words
from tests.stubs import exports

ROOT = "00000000-0000-4000-8000-000000000000"


def items(kind: str, path: Path, export: Any, **options: Any) -> list[Item]:
    file = path / "export.json"
    file.write_text(export if isinstance(export, str) else json.dumps(export))
    return list(READERS[kind](Source(file, **options), lambda _: None))


def talk(found: list[Item]) -> list[ImportMessage]:
    return [item for item in found if isinstance(item, ImportMessage)]


def voices(found: list[Item]) -> list[tuple[str, str | None]]:
    return [(m.role, m.speaker) for m in talk(found)]


def exported(kind: str, path: Path) -> list[Item]:
    return list(READERS[kind](Source(path), lambda _: None))


# Telegram


def said(number: int = 1, sender: str | None = "Ann", identity: str = "user1", **more: Any) -> dict[str, Any]:
    base = {"id": number, "type": "message", "date_unixtime": "1704103200", "text": "hi"}
    return {**base, "from": sender, "from_id": identity, **more}


def chat(*messages: dict[str, Any], kind: str = "personal_chat", name: str | None = "Bob", number: int = 5) -> Any:
    return {"name": name, "type": kind, "id": number, "messages": list(messages)}


def test_a_telegram_export_keeps_topics_replies_media_and_odd_escapes(tmp_path: Path) -> None:
    planted = exports.telegram(tmp_path / "result.json", 2000)
    found = talk(exported("telegram", tmp_path / "result.json"))
    assert len({m.message_id for m in found}) == len(found) > 1900
    assert {m.role for m in found} == {"user", "assistant"}
    assert {m.message_thread_id for m in found} >= {None, 2, 3}
    assert any(m.reply_to_message_id for m in found)
    assert {"[photo]", "[voice message]"} <= {m.content for m in found}
    assert any(m.content.startswith("See ") and m.content.endswith(" ok") for m in found)
    assert set(planted.values()) <= {m.content for m in found}
    assert not any("CONTROL" in m.content or "\\x0b" in m.content for m in found)


def test_the_progress_reaches_the_size_of_the_file(tmp_path: Path) -> None:
    exports.telegram(tmp_path / "result.json", 500)
    seen: list[int] = []
    list(READERS["telegram"](Source(tmp_path / "result.json"), seen.append))
    assert seen[-1] == (tmp_path / "result.json").stat().st_size
    assert seen == sorted(seen)


def test_in_a_private_chat_the_other_one_speaks_by_name(tmp_path: Path) -> None:
    found = items("telegram", tmp_path, chat(said(1), said(2, "Bob", "user5")))
    assert voices(found) == [("user", None), ("user", "Bob")]


def test_words_of_a_deleted_account_are_neither_mine_nor_the_assistants(tmp_path: Path) -> None:
    for kind, name in (("private_group", "Friends"), ("personal_chat", None)):
        found = items("telegram", tmp_path, chat(said(sender=None), kind=kind, name=name))
        assert voices(found) == [("user", "deleted account")]


@pytest.mark.parametrize("me", ["user1", "1", "Ann"])
@pytest.mark.parametrize("assistant", ["user9", "9", "Memory Bot"])
def test_in_a_group_one_may_say_who_is_who(tmp_path: Path, me: str, assistant: str) -> None:
    group = chat(said(1), said(2, "Memory Bot", "user9"), said(3, "Cem", "user3"), kind="private_supergroup")
    found = items("telegram", tmp_path, group, me=me, assistant=assistant)
    assert voices(found) == [("user", None), ("assistant", None), ("user", "Cem")]


def test_of_a_whole_account_every_chat_is_a_conversation_of_its_own(tmp_path: Path) -> None:
    chats = [chat(said(1)), chat(said(1, "Eve", "user6"), name="Eve", number=6)]
    account = {"personal_information": {"user_id": 1}, "contacts": {"list": []}, "chats": {"list": chats}}
    found = talk(items("telegram", tmp_path, account))
    assert voices(list(found)) == [("user", None), ("user", "Eve")]
    threads = [m.message_thread_id for m in found]
    assert None not in threads
    assert len(set(threads)) == 2
    assert [m.message_id for m in found] == ["telegram:5:1", "telegram:6:1"]


def test_of_a_whole_account_a_group_is_imported_only_into_its_own_chat(tmp_path: Path) -> None:
    club = chat(said(1), said(2, "Cem", "user3"), kind="private_supergroup", name="Book club", number=77)
    old = chat(said(1, "Dan", "user4"), kind="private_group", name="Choir", number=88)
    account = {"personal_information": {"user_id": 1}, "chats": {"list": [chat(said(1)), club, old]}}
    found = items("telegram", tmp_path, account, chat_id=42)
    assert [m.message_id for m in talk(found)] == ["telegram:5:1"]
    left = Counter(item.origin for item in found if isinstance(item, LeftOut))
    assert left == {"Book club (-10077)": 2, "Choir (-88)": 1}
    assert [line[:52] for line in left_out("telegram", left)] == [
        "left out: 2 messages of the group Book club (-10077)",
        "left out: 1 message of the group Choir (-88); --chat",
    ]
    for number, expected in ((-10077, [("user", None), ("user", "Cem")]), (-88, [("user", "Dan")])):
        found = items("telegram", tmp_path, account, chat_id=number)
        assert voices(talk(found)) == expected
        assert [m.message_thread_id for m in talk(found)] == [None] * len(expected)


def test_it_says_whom_it_takes_for_the_user(tmp_path: Path) -> None:
    """Without `me`, the user of a private chat is recognized by elimination. The user must be able to check the
    result."""
    found = items("telegram", tmp_path, chat(said(1), said(2, "Bob", "user5"), said(3)))
    assert [item for item in found if isinstance(item, KnownAs)] == [KnownAs("Ann")]
    assert "You are Ann in this file." in forecast(measured(found), Compaction(), SummarizerSettings()).lines[0]


def test_a_topic_is_found_through_replies_and_a_reply_inside_it_is_kept(tmp_path: Path) -> None:
    begun = {"id": 1, "type": "service", "action": "topic_created", "title": "Garden", "text": ""}
    first, answer = said(2, reply_to_message_id=1), said(3, reply_to_message_id=2)
    found = talk(items("telegram", tmp_path, chat(begun, first, answer, said(4), kind="private_supergroup")))
    assert [(m.message_thread_id, m.reply_to_message_id) for m in found] == [
        (1, None),
        (1, "telegram:5:2"),
        (None, None),
    ]


def test_an_old_export_without_unix_times_is_dated_by_the_exporting_machine(tmp_path: Path) -> None:
    old = {key: value for key, value in said(date="2024-01-01T10:00:00").items() if key != "date_unixtime"}
    (m,) = talk(items("telegram", tmp_path, chat(old)))
    assert m.sent_at == datetime(2024, 1, 1, 10).astimezone(UTC)


def test_an_entry_that_is_not_as_documented_costs_itself_only(tmp_path: Path) -> None:
    broken = {"type": "message", "text": "hi", "date_unixtime": "soon"}
    found = items("telegram", tmp_path, chat(said(1), broken, {"id": 3, "type": "unsupported"}, said(4)))
    assert len(talk(found)) == 2
    assert len([item for item in found if isinstance(item, Unreadable)]) == 1


def test_an_export_that_breaks_off_is_to_be_imported_again(tmp_path: Path) -> None:
    text = json.dumps(chat(said(1), said(2)))
    (tmp_path / "export.json").write_text(text[: text.index('"id": 2') + 20])
    reader = READERS["telegram"](Source(tmp_path / "export.json"), lambda _: None)
    assert isinstance(next(reader), ImportMessage)
    with pytest.raises(ImportFailed, match="adds only what is new"):
        list(reader)


words = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=20)
piece = words | st.fixed_dictionaries({"type": st.just("bold"), "text": words})


@given(st.lists(piece, max_size=6))
def test_text_is_the_same_as_a_string_as_an_array_and_as_entities(parts: list[Any]) -> None:
    whole = "".join(part if isinstance(part, str) else part["text"] for part in parts)
    assert text_of({"text": whole}) == text_of({"text": parts}) == whole.strip()
    entities = [{"type": "plain", "text": part if isinstance(part, str) else part["text"]} for part in parts]
    assert text_of({"text": "", "text_entities": entities}) == whole.strip()


def test_a_forwarded_message_is_quoted_because_somebody_else_wrote_it() -> None:
    assert text_of({"text": "I am a pilot\nSince May", "forwarded_from": "Eve]\n"}) == (
        "[forwarded from Eve)]\n> I am a pilot\n> Since May"
    )
    assert text_of({"file": "f", "file_name": "a]\nI am a pilot", "text": "Look"}) == "[file a) I am a pilot] Look"


def test_rich_messages_give_their_words() -> None:
    assert text_of({"rich_message": {"blocks": [{"text": "First"}, {"text": [{"text": "second"}]}]}}) == "First\nsecond"


# ChatGPT


def node(key: str, parent: str | None, role: str, text: str, **more: Any) -> dict[str, Any]:
    content = {"content_type": "text", "parts": [text]}
    message = {"author": {"role": role}, "create_time": 1704103200.5, "content": content, **more}
    return {"id": key, "parent": parent, "children": [], "message": message}


def conversation(*nodes: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"id": "c", "create_time": 1704103200, "mapping": {n["id"]: n for n in nodes}, **more}


TREE = (node("a", None, "user", "q"), node("x", "a", "assistant", "old"), node("b", "a", "assistant", "kept"))


def test_an_export_gives_the_spoken_words_and_the_memories(tmp_path: Path) -> None:
    exports.chatgpt(tmp_path / "conversations.json")
    exports.claude(tmp_path / "export")
    chatgpt, claude = exported("chatgpt", tmp_path / "conversations.json"), exported("claude", tmp_path / "export")
    assert [m.content for m in talk(chatgpt)] == ["I have a cat called Mochi", "Mochi is a lovely name"]
    assert len({m.message_thread_id for m in talk(chatgpt)}) == 1
    assert [m.content for m in talk(claude)] == ["I play the cello", "How nice"]
    memories = [item.content for item in (*chatgpt, *claude) if isinstance(item, ImportMemory)]
    assert memories == ["I am a nurse in Oslo", "Plays the cello in a quartet"]


def test_the_branch_that_was_shown_is_read_and_without_a_mark_the_newest(tmp_path: Path) -> None:
    newest = node("b", "a", "assistant", "kept", create_time=1704109999.0)
    shown = items("chatgpt", tmp_path, [conversation(*TREE, current_node="b")])
    unmarked = items("chatgpt", tmp_path, {"conversations": [conversation(*TREE[:2], newest)]})
    assert [m.content for m in talk(shown)] == [m.content for m in talk(unmarked)] == ["q", "kept"]


@given(st.lists(st.integers(min_value=0, max_value=30), min_size=1, max_size=30), st.data())
def test_whatever_the_tree_one_path_from_a_root_is_read(parents: list[int], data: st.DataObject) -> None:
    nodes = [node(str(n), str(p) if p < n else None, "user", f"t{n}") for n, p in enumerate(parents)]
    current = data.draw(st.sampled_from([n["id"] for n in nodes]))
    by_id = {n["id"]: n for n in nodes}
    wanted, at = [], by_id.get(current)
    while at is not None:
        wanted.append(f"t{at['id']}")
        at = by_id.get(at["parent"])
    found = talk(list(items_of(conversation(*nodes, current_node=current))))
    assert [m.content for m in found] == wanted[::-1]


def test_hidden_turns_tools_and_odd_parts_are_not_what_was_said(tmp_path: Path) -> None:
    hidden = node("h", "a", "assistant", "secret", metadata={"is_visually_hidden_from_conversation": True})
    tool = node("t", "h", "assistant", "search()", recipient="browser")
    odd = node("o", "t", "assistant", "")
    odd["message"]["content"] = {
        "content_type": "multimodal_text",
        "parts": [
            None,
            {"content_type": "image_asset_pointer"},
            {"content_type": "audio_transcription", "text": "heard"},
        ],
    }
    found = items("chatgpt", tmp_path, [conversation(TREE[0], hidden, tool, odd, current_node="o")])
    assert [m.content for m in talk(found)] == ["q", "[image]\nheard"]


def test_what_chatgpt_remembered_is_dated_by_its_own_day_else_by_its_conversation(tmp_path: Path) -> None:
    memory = node("m", None, "system", "")
    memory["message"] |= {
        "create_time": None,
        "content": {
            "content_type": "model_editable_context",
            "model_set_context": "1. [2023-05-01]. Has a cat called Mochi\n2. Likes tea",
        },
    }
    found = items("chatgpt", tmp_path, [conversation(memory, current_node="m")])
    assert found == [
        ImportMemory("Has a cat called Mochi", said_at=datetime(2023, 5, 1, 12, tzinfo=UTC)),
        ImportMemory("Likes tea", said_at=datetime(2024, 1, 1, 10, tzinfo=UTC)),
    ]


def test_chatgpts_memories_and_custom_instructions_are_memories(tmp_path: Path) -> None:
    told = node("i", None, "system", "")
    told["message"]["metadata"] = {
        "is_visually_hidden_from_conversation": True,
        "user_context_message_data": {"about_user_message": "I am a nurse.", "about_model_message": "Be brief."},
    }
    kept = node("k", "i", "assistant", "User is learning Korean")
    kept["message"]["recipient"] = "bio"
    found = items("chatgpt", tmp_path, [conversation(told, kept, current_node="k")])
    assert [m.content for m in found if isinstance(m, ImportMemory)] == [
        "I am a nurse.",
        "Be brief.",
        "User is learning Korean",
    ]
    assert talk(found) == []


def test_custom_instructions_that_each_conversation_repeats_are_one_memory(tmp_path: Path) -> None:
    told = node("i", None, "user", "")
    told["message"]["content"] = {"content_type": "user_editable_context", "user_profile": "I am a nurse."}
    talks = [conversation(told, current_node="i", conversation_id=str(number)) for number in range(3)]
    found = items("chatgpt", tmp_path, talks)
    assert [item.content for item in found if isinstance(item, ImportMemory)] == ["I am a nurse."]
    assert measured(found).memories == 1


def test_shards_in_a_zip_are_read_in_order(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "e.zip", "w") as archive:
        for number in (1, 0):
            one = conversation(
                node("a", None, "user", f"shard {number}"), current_node="a", conversation_id=str(number)
            )
            archive.writestr(f"conversations-00{number}.json", json.dumps([one]))
    found = READERS["chatgpt"](Source(tmp_path / "e.zip"), lambda _: None)
    assert [m.content for m in talk(list(found))] == ["shard 0", "shard 1"]


def test_only_the_files_of_the_export_are_read_and_not_their_hidden_copies(tmp_path: Path) -> None:
    one = [conversation(node("a", None, "user", "said"), current_node="a", conversation_id="1")]
    with zipfile.ZipFile(tmp_path / "e.zip", "w") as archive:
        archive.writestr("export/conversations.json", json.dumps(one))
        archive.writestr("export/shared_conversations.json", json.dumps([{"id": "1", "title": "said"}]))
        archive.writestr("__MACOSX/export/._conversations.json", "\x00\x05")
    (tmp_path / "folder" / ".trash").mkdir(parents=True)
    (tmp_path / "folder" / "conversations.json").write_text(json.dumps(one))
    (tmp_path / "folder" / ".trash" / "conversations.json").write_text("no export")
    for place in ("e.zip", "folder"):
        found = list(READERS["chatgpt"](Source(tmp_path / place), lambda _: None))
        assert [m.content for m in talk(found)] == ["said"]
        assert not any(isinstance(item, Unreadable) for item in found)


# Claude


def turn(key: str, parent: str, text: str, second: int, sender: str = "human") -> dict[str, Any]:
    at = f"2026-01-02T03:04:{second:02d}Z"
    content = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": text}]
    return {"uuid": key, "sender": sender, "created_at": at, "content": content, "parent_message_uuid": parent}


def test_of_a_claude_conversation_the_newest_branch_is_read(tmp_path: Path) -> None:
    first, second = turn("2", "1", "first try", 6, "assistant"), turn("3", "1", "kept", 9, "assistant")
    turns = [turn("1", ROOT, "q", 5), first, second, turn("4", "3", "ok", 10)]
    found = items("claude", tmp_path, [{"uuid": "c", "chat_messages": turns}])
    assert [m.content for m in talk(found)] == ["q", "kept", "ok"]


def test_a_text_attached_in_claude_is_found_but_is_not_the_users_word() -> None:
    attached = {"file_name": "report.txt", "extracted_content": "Bearing B7 is worn."}
    turn = {
        "uuid": "a",
        "sender": "human",
        "created_at": "2024-01-01T10:00:00Z",
        "text": "Look",
        "attachments": [attached],
    }
    (message,) = messages_of({"uuid": "t", "chat_messages": [turn]})
    assert isinstance(message, ImportMessage)
    assert message.content == "Look\n[file report.txt]\n~~~\nBearing B7 is worn.\n~~~"
    assert "B7" not in own_words(message.content)


def test_claude_turns_that_are_no_tree_are_all_read(tmp_path: Path) -> None:
    flat = [turn(str(n), ROOT, f"t{n}", 5) for n in range(3)]
    orphans = [turn("1", ROOT, "t0", 5), turn("2", "1", "t1", 5), turn("3", "gone", "t2", 5)]
    bare = [{k: v for k, v in t.items() if k != "parent_message_uuid"} for t in flat]
    for turns in (flat, orphans, bare):
        found = items("claude", tmp_path, [{"uuid": "c", "chat_messages": turns}])
        assert [m.content for m in talk(found)] == ["t0", "t1", "t2"]


@given(st.integers(min_value=1, max_value=30))
def test_a_claude_chain_is_read_whole_even_if_all_its_times_are_one(length: int) -> None:
    turns = [turn(str(n), str(n - 1) if n else ROOT, f"t{n}", 5) for n in range(length)]
    found = talk(list(messages_of({"uuid": "c", "chat_messages": turns})))
    assert [m.content for m in found] == [f"t{n}" for n in range(length)]


# JSON lines


def test_two_chats_that_used_one_id_are_not_taken_for_one(tmp_path: Path) -> None:
    line = {"role": "user", "content": "hi", "sent_at": "2026-01-01T00:00:00Z", "message_id": "7"}
    lines = "\n".join(json.dumps({**line, "chat_id": number, "thread_key": "root"}) for number in (42, -200))
    mine, groups = talk(items("jsonl", tmp_path, lines, chat_id=42))
    assert (mine.message_id, mine.message_thread_id) == ("7", None)
    assert groups.message_id == "-200:7"
    assert groups.message_thread_id is not None
    (_, home) = talk(items("jsonl", tmp_path, lines, chat_id=-200))
    assert home.message_id == "7"


def test_json_lines_without_ids_get_stable_ones(tmp_path: Path) -> None:
    line = json.dumps({"role": "user", "content": "hi", "sent_at": "2026-01-01T00:00:00Z"})
    assert items("jsonl", tmp_path, line) == items("jsonl", tmp_path, line)


def test_a_memory_by_hand_needs_only_its_words(tmp_path: Path) -> None:
    assert items("jsonl", tmp_path, json.dumps({"type": "memory", "content": "Plays chess"})) == [
        ImportMemory("Plays chess")
    ]


def test_a_line_that_is_no_message_is_named_by_its_number_and_costs_itself_only(tmp_path: Path) -> None:
    good = json.dumps({"role": "user", "content": "hi", "sent_at": "2026-02-16T09:15:00Z"})
    deep = '{"role": ' + "[" * 100_000
    late = good.replace("2026", "9999")
    found = items(
        "jsonl", tmp_path, "\n".join([good, json.dumps({"role": "user"}), deep, late, good.replace("hi", "so")])
    )
    assert [m.content for m in talk(found)] == ["hi", "so"]
    assert [item.why for item in found if isinstance(item, Unreadable)] == [
        "line 2: it has no content",
        "line 3: it is nested too deeply",
        "line 4: its time is in the year 9999",
    ]


EXPORTED: dict[str, Any] = {
    **{"type": "memory", "id": 1, "content": "I live in Oslo\u0000", "kind": "fact", "status": "active"},
    **{
        "scope": "global",
        "origin": "user",
        "user_confirmed": True,
        "confidence": 1.0,
        "priority": 3,
        "importance": 0.5,
    },
    **{"pinned": False, "valid_from": "2026-02-16T01:15:00Z", "about": "user\ud800"},
}


def test_a_crafted_memory_is_refused_alone(tmp_path: Path) -> None:
    due = "2026-02-16T01:00:00Z"
    crafted: tuple[dict[str, Any], ...] = (
        {"alarm": {"due_at": due, "repeats": "garbage * * *"}},
        {"alarm": {"due_at": due, "repeats": "99 * * * *"}},
        {"alarm": {"due_at": due, "repeats": "* * * * *"}},
        {"alarm": {"due_at": due, "repeats": "58,0 9-17 * * *"}},
        {"alarm": {"due_at": due, "repeats": "R/2026-02-16T08:00/P0D"}},
        {"alarm": {"due_at": due, "repeats": "R/9999-02-16T08:00/P2D"}},
        {"alarm": {"due_at": due, "repeats": "0 8 * * * until 2026-02-30T08:00"}},
        {"alarm": {"due_at": due, "repeats": "0 8 * * * until 9999-02-20T08:00"}},
        {"alarm": {"due_at": due, "message_thread_id": 2**70}},
        {"confidence": float("nan")},
        {"importance": 7},
        {"priority": 2**40},
        {"about": "x" * 500},
        {"former": [{"content": "a", "replaced_at": "9999-12-31T23:59:59-12:00"}]},
        {"conversation": {"channel": "mcp", "name": "n" * 500}},
        {"type": "message", "role": "user", "sent_at": due, "message_thread_id": "t" * 500},
    )
    kept = {"alarm": {"due_at": due, "repeats": "R/2026-02-16T08:00/P2D until 2026-03-16T08:00"}}
    found = items("jsonl", tmp_path, "\n".join(json.dumps({**EXPORTED, **more}) for more in (kept, *crafted, {})))
    assert [type(item).__name__ for item in found] == [
        "ExportedMemory",
        *["Unreadable"] * len(crafted),
        "ExportedMemory",
    ]
    assert isinstance(found[0], ExportedMemory)
    assert (found[0].content, found[0].about) == ("I live in Oslo", "user?")
    assert found[0].alarm is not None
    assert found[0].alarm.repeats == kept["alarm"]["repeats"]


def test_a_message_of_a_year_nobody_lives_in_is_named_by_its_number(tmp_path: Path) -> None:
    odd = (said(n, date_unixtime=str(at)) for n, at in enumerate((253402300799, -99999999999, 10**30), 2))
    found = items("telegram", tmp_path, chat(said(1), *odd, said(5)))
    assert len(talk(found)) == 2
    assert [item.why.partition(":")[0] for item in found if isinstance(item, Unreadable)] == [
        "record 2",
        "record 3",
        "record 4",
    ]


@pytest.mark.parametrize("kind", ["telegram", "chatgpt", "claude"])
@pytest.mark.parametrize("export", [{"x": 1}, [], [{"id": 1}], "", "[1, 2"])
def test_another_programs_file_is_refused_not_silently_empty(tmp_path: Path, kind: str, export: Any) -> None:
    with pytest.raises(ImportFailed, match=r"no |not a |breaks off"):
        assert not talk(items(kind, tmp_path, export))


def test_a_damaged_zip_and_a_folder_without_the_export_are_reported(tmp_path: Path) -> None:
    file = tmp_path / "export.zip"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("conversations.json", json.dumps([{"mapping": {}}] * 50))
    file.write_bytes(file.read_bytes().replace(b"mapping", b"nappimg", 1))
    with pytest.raises(ImportFailed, match=r"is damaged .*download it again"):
        list(READERS["chatgpt"](Source(file), lambda _: None))
    with pytest.raises(ImportFailed, match=r"holds no result\.json; is it the unchanged export, in JSON format"):
        list(READERS["telegram"](Source(tmp_path), lambda _: None))
