"""Imports of other programs' memories: for each format, the kind that is recognized, the dates and the speakers."""

import json
import os
from dataclasses import fields
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from tellonce.contract import Memory
from tellonce_cli.import_ import run
from tellonce_cli.importers.claude_code import conversation_name
from tellonce_cli.importers.files import Source
from tellonce_cli.importers.items import ImportFailed, Item, LeftOut, Unreadable
from tellonce_cli.importers.recognition import READERS, recognized
from tellonce_hooks import project, transcript
from tellonce_server.services.import_memories import ExportedMemory, ImportMemory
from tellonce_server.services.import_messages import ImportMessage, OwnConversation

CHANGED = datetime(2025, 3, 4, 9, tzinfo=UTC)


def found(path: Path) -> tuple[str, list[Item]]:
    kind = recognized(Source(path))
    return kind, list(reading(kind, path))


def reading(kind: Any, path: Path) -> Any:
    return READERS[kind](Source(path), lambda _: None)


def memories(items: list[Item]) -> list[ImportMemory]:
    return [item for item in items if isinstance(item, ImportMemory)]


def messages(items: list[Item]) -> list[ImportMessage]:
    return [item for item in items if isinstance(item, ImportMessage)]


def test_every_field_of_a_memory_is_restored() -> None:
    restored = {field.name for field in fields(ExportedMemory)}
    under_other_names = {"id": "number", "chat_id": "conversation", "sources": "source_messages"}
    assert set(Memory.model_fields) - restored == set(under_other_names)
    assert restored >= set(under_other_names.values())


def lines(path: Path, *entries: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        "".join(
            f"{entry if isinstance(entry, str) else json.dumps(entry, separators=(',', ':'))}\n" for entry in entries
        )
    )
    os.utime(path, (CHANGED.timestamp(), CHANGED.timestamp()))
    return path


def test_the_reference_memory_gives_a_memory_an_observation_and_relation(tmp_path: Path) -> None:
    file = lines(
        tmp_path / "memory.json",
        {"type": "entity", "name": "default_user", "entityType": "person", "observations": ["Speaks Portuguese"]},
        {
            "type": "entity",
            "name": "Ana_Reis",
            "entityType": "person",
            "observations": ["Plays chess", "Ana Reis naps"],
        },
        {"type": "relation", "from": "default_user", "to": "Ana_Reis", "relationType": "works_with"},
        {"type": "entity", "name": "Nobody"},
        "half a li",
    )
    kind, items = found(file)
    assert kind == "mcp-memory"
    assert [(m.content, m.about, m.said_at) for m in memories(items)] == [
        ("Speaks Portuguese", "user", CHANGED),
        ("Ana Reis: Plays chess", "Ana Reis", CHANGED),
        ("Ana Reis naps", "Ana Reis", CHANGED),
        ("The user works with Ana Reis", "user", CHANGED),
    ]
    unread = [item.why for item in items if isinstance(item, Unreadable)]
    assert unread == ["line 4: it has no observations", "line 5: it is not JSON"]


@pytest.mark.parametrize("place", [None, "results", "memories"])
def test_a_mem0_export_is_dated_by_its_last_change(tmp_path: Path, place: str | None) -> None:
    kept = [
        {"id": "a", "memory": "Likes tea", "created_at": "2024-01-02T10:00:00-07:00", "updated_at": None},
        {"id": "b", "memory": "Has a boat", "created_at": "2024-01-02T10:00:00Z", "updated_at": "2024-05-01T00:00:00"},
        {"id": "c", "memory": "Reads at night", "created_at": 1704190000},
        {"id": "d", "metadata": {}},
    ]
    (tmp_path / "export").write_text(json.dumps({place: kept} if place else kept))
    kind, items = found(tmp_path / "export")
    assert kind == "mem0"
    assert [(m.content, m.said_at and m.said_at.astimezone(UTC)) for m in memories(items)] == [
        ("Likes tea", datetime(2024, 1, 2, 17, tzinfo=UTC)),
        ("Has a boat", datetime(2024, 5, 1, tzinfo=UTC)),
        ("Reads at night", datetime.fromtimestamp(1704190000, UTC)),
    ]
    assert len(items) == 4


def test_a_mem0_export_of_several_persons_is_imported_for_one_of_them(tmp_path: Path) -> None:
    held = [("ann", "Likes tea"), ("bob", "Has a boat"), ("ann", "Reads at night"), (None, "Is kind")]
    file = tmp_path / "mem0.json"
    file.write_text(json.dumps({"results": [{"memory": text, "user_id": name} for name, text in held]}))
    with pytest.raises(ImportFailed, match=r"2 persons: ann \(2\), bob \(1\).*--me NAME"):
        list(reading("mem0", file))
    ann = memories(list(READERS["mem0"](Source(file, me="ann"), lambda _: None)))
    assert [m.content for m in ann] == ["Likes tea", "Reads at night", "Is kind"]
    with pytest.raises(ImportFailed, match="no memories of eve, but of ann"):
        list(READERS["mem0"](Source(file, me="eve"), lambda _: None))


def test_claudes_memories_are_taken_without_its_conversations_too(tmp_path: Path) -> None:
    entry = {"account_uuid": "a", "conversations_memory": "**Work**:\n- Ann runs a bakery", "project_memories": {}}
    (tmp_path / "memories.json").write_text(json.dumps([entry]))
    kind, items = found(tmp_path / "memories.json")
    assert (kind, [m.content for m in memories(items)]) == ("claude", ["Ann runs a bakery"])


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (
            "**Work**\n\nMarta is an architect. She likes moss.\n\n**Home**\n\nShe has a daughter, Lotte.",
            ["Marta is an architect. She likes moss.", "Marta is an architect. She has a daughter, Lotte."],
        ),
        (
            "Marta is an architect.\n\nAt home, Marta has a cat.\n\nIts name is Tilly Ann.",
            ["Marta is an architect.", "At home, Marta has a cat.", "At home, Marta has a cat. Its name is Tilly Ann."],
        ),
        ("- Uses Python 3.11 daily\n- Prefers tabs to spaces", ["Uses Python 3.11 daily", "Prefers tabs to spaces"]),
    ],
)
def test_a_statement_of_claude_names_its_person(written: str, expected: list[str], tmp_path: Path) -> None:
    entry = {"account_uuid": "a", "conversations_memory": written, "project_memories": {}}
    (tmp_path / "memories.json").write_text(json.dumps([entry]))
    _, items = found(tmp_path / "memories.json")
    assert [m.content for m in memories(items)] == expected


def test_a_persons_notes_are_messages_and_an_assistants_notes_memories(tmp_path: Path) -> None:
    lines(tmp_path / ".obsidian" / "hidden.md", "not a note")
    lines(
        tmp_path / "daily" / "2024-06-01.md",
        "# Today",
        "",
        "I adopted [[Mochi|a cat]].",
        "",
        "```",
        "a = 1",
        "",
        "b",
        "```",
        *("", "#family #home", "", "#family dinner at eight.", "", "<private>My", "", "diary</private>Ann calls."),
    )
    lines(tmp_path / "CLAUDE.md", "I like rye bread.")
    lines(
        tmp_path / "Coffee.md",
        *("---", "title: Coffee", "permalink: coffee", "created: '2024-07-02'", "---", "# Coffee", "Prose of a model."),
        *("- [method] Ann brews pour over #brewing (at home)", "- [ ] buy beans", "- pairs_with [[Rye Bread]]"),
    )
    kind, items = found(tmp_path)
    assert kind == "markdown"
    noon = datetime(2024, 7, 2, 12).astimezone()
    assert [(m.content, m.about, m.said_at) for m in memories(items)] == [
        ("Coffee: Ann brews pour over", "Coffee", noon),
        ("Coffee pairs with Rye Bread", "Coffee", noon),
    ]
    said = [(m.role, m.content, m.sent_at.astimezone().date()) for m in messages(items)]
    assert said == [
        ("user", "# CLAUDE\nI like rye bread.", CHANGED.astimezone().date()),
        ("assistant", "# Coffee\nProse of a model.\n- [ ] buy beans", date(2024, 7, 2)),
        ("user", "# Today\nI adopted a cat.", date(2024, 6, 1)),
        ("user", "```\na = 1\n\nb\n```", date(2024, 6, 1)),
        ("user", "#family #home\n#family dinner at eight.", date(2024, 6, 1)),
        ("user", "Ann calls.", date(2024, 6, 1)),
    ]
    again = [m.message_id for m in messages(found(tmp_path)[1])]
    assert again == [m.message_id for m in messages(items)]
    assert len(set(again)) == 6


def test_a_note_gives_its_title_and_leaves_out_what_its_writer_hides(tmp_path: Path) -> None:
    lines(
        tmp_path / "Farah.md",
        *("Allergic to nuts.", "", "%% she must not", "see this %%", "#family dinner at eight.", ""),
        *("<private>The code is 4471.</private>", "", "## Food", "", "Loves <private>secretly</private> figs."),
    )
    _, items = found(tmp_path)
    assert [m.content for m in messages(items)] == [
        "# Farah\nAllergic to nuts.",
        "# Farah\n#family dinner at eight.",
        "# Farah\n## Food\nLoves  figs.",
    ]


def test_headings_and_an_index_of_notes_are_no_memories(tmp_path: Path) -> None:
    folder = tmp_path / "projects" / "-shop" / "memory"
    lines(folder / "MEMORY.md", "- [Money type](money.md) — integers, never floats", "- The shop opens at 8")
    lines(folder / "money.md", "## Types of money", "", "**How we count it**", "", "Money is an integer of cents.")
    entry = {"account_uuid": "a", "conversations_memory": "**Personal context**\n\nAnn runs a bakery in Porto."}
    lines(tmp_path / "claude" / "memories.json", [entry])
    _, kept = found(tmp_path)
    assert [m.content for m in memories(kept)] == ["-shop: The shop opens at 8", "-shop: Money is an integer of cents."]
    _, told = found(tmp_path / "claude" / "memories.json")
    assert [m.content for m in memories(told)] == ["Ann runs a bakery in Porto."]


def said(role: str, text: Any, **more: Any) -> dict[str, Any]:
    base = {
        "type": role,
        "sessionId": "s1",
        "cwd": "/srv/shop",
        "uuid": f"u{text}",
        "timestamp": "2025-01-02T03:04:05Z",
    }
    return {**base, "message": {"role": role, "content": text}, **more}


SESSION = (
    {"type": "summary", "summary": "of before"},
    said("user", "Use tabs here", promptId="p1"),
    said("assistant", [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "First I look."}]),
    said("user", [{"type": "tool_result", "content": "12 files"}], promptId="p1"),
    said("assistant", [{"type": "text", "text": "Done, with tabs."}]),
    said("user", "<command-name>/clear</command-name>", promptId="p2"),
    said("user", "The code is <private>4711</private> blue", promptId="p3"),
    said("assistant", [{"type": "text", "text": "Blue, 4711."}]),
    said("user", "subagent's task", promptId="p4", isSidechain=True),
    said("user", "Thanks", promptId="p5"),
    '{"type":"user","message":{"content":"half of a li',
)


def test_a_transcript_gives_the_messages_that_the_plugin_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The plugin and the import can both record a message. Both use the same id, text, conversation and session, so the
    message is stored once."""
    file = lines(tmp_path / "home" / "projects" / "-srv-shop" / "s1.jsonl", *SESSION)
    kind, items = found(tmp_path / "home")
    assert kind == "claude-code"
    theirs = [(m["message_id"], m["role"], m["content"]) for m in transcript.turns(str(file))]
    assert [(m.message_id, m.role, m.content) for m in messages(items)] == theirs
    assert [content for _, _, content in theirs] == ["Use tabs here", "Done, with tabs.", "The code is  blue", "Thanks"]
    places = {(m.channel, m.conversation, m.message_thread_id) for m in messages(items)}
    assert places == {("claude-code", OwnConversation("claude-code", project.name("/srv/shop")), "s1")}
    assert len([item for item in items if isinstance(item, Unreadable)]) == 1
    monkeypatch.setenv("HOME", "/home/ann")
    for folder in ("/home/ann/shop", "/srv/" + "x" * 200, "/home/ann"):
        assert conversation_name(folder) == project.name(folder)


def test_what_claude_code_remembers_of_a_project_names_it_and_the_users_own_does_not(tmp_path: Path) -> None:
    lines(tmp_path / ".claude" / "CLAUDE.md", "# Mine", "- Prefer **short** answers", "@other.md", "", "| a | b |")
    lines(tmp_path / ".claude" / "plugins" / "x" / "memory" / "x.md", "- not ours")
    folder = tmp_path / ".claude" / "projects" / "-srv-shop"
    lines(folder / "s1.jsonl", *SESSION[1:3])
    lines(
        folder / "memory" / "MEMORY.md", "- The shop opens at 8", "- Tests need", "  a database", "```", "- code", "```"
    )
    kind, items = found(tmp_path / ".claude")
    assert kind == "claude-code"
    assert [(m.content, m.about, m.said_at) for m in memories(items)] == [
        ("Prefer short answers", "user", CHANGED),
        ("The shop opens at 8", "shop", CHANGED),
        ("shop: Tests need a database", "shop", CHANGED),
    ]
    assert found(tmp_path / ".claude" / "CLAUDE.md")[0] == "claude-code"


def test_projects_in_which_the_plugin_may_not_record_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The user's own instructions belong to no project. The plugin decides the same for each case."""
    config, shop = tmp_path / ".claude", tmp_path / "shop"
    session = [{**entry, "cwd": str(shop)} for entry in SESSION[1:3] if isinstance(entry, dict)]
    lines(config / "projects" / "-shop" / "s1.jsonl", *session)
    lines(config / "projects" / "-shop" / "memory" / "MEMORY.md", "- The shop opens at 8")
    lines(config / "CLAUDE.md", "- Prefer short answers")
    data = config / "plugins" / "data" / "tellonce-tellonce"
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(config))
    monkeypatch.setenv("CLAUDE_PLUGIN_DATA", str(data))

    def options(**chosen: str) -> dict[str, object]:
        return {"pluginConfigs": {"tellonce@tellonce": {"options": chosen}}}

    cases: list[tuple[dict[str, object], dict[str, str], dict[str, str], bool]] = [
        ({}, {}, {}, True),
        (options(memory="recall"), {}, {}, False),
        (options(memory=" off "), {}, {}, False),
        (options(memory="off"), {str(shop): "full"}, {}, True),
        (options(memory="perhaps"), {str(shop): "perhaps"}, {}, True),
        (options(memory="off"), {str(shop): "perhaps"}, {}, False),
        ({}, {str(shop): "off"}, {}, False),
        ({}, {str(shop): "off"}, {"memory": "full"}, False),
        ({}, {f"{shop}s": "off"}, {}, True),
        ({}, {}, {"memory": "off"}, False),
        (options(excluded_folders=f"/nowhere, {tmp_path}"), {str(shop): "full"}, {}, False),
        (options(excluded_folders=f"{shop}/"), {}, {}, False),
        (options(excluded_folders=f"{shop}s,"), {}, {"memory": "perhaps"}, True),
    ]
    for settings, projects, own, expected in cases:
        lines(config / "settings.json", settings)
        lines(data / "projects.json", projects)
        lines(shop / ".claude" / "tellonce.json", own)
        _, items = found(config)
        assert (project.mode(str(shop)) == "full") == expected == bool(messages(items)), (settings, projects, own)
        remembered = ["Prefer short answers", "The shop opens at 8"]
        assert [memory.content for memory in memories(items)] == remembered[: 1 + expected]
        left = [item for item in items if isinstance(item, LeftOut)]
        assert left == ([] if expected else [LeftOut(project.name(str(shop)))] * 2)


def test_a_project_is_left_out_if_any_installation_of_the_plugin_may_not_record_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
    lines(tmp_path / "projects" / "-srv-shop" / "s1.jsonl", *SESSION)
    for plugin, mode in (("tellonce", "full"), ("tellonce-tellonce", "off")):
        lines(tmp_path / "plugins" / "data" / plugin / "projects.json", {"/srv/shop": mode})
    assert [item for item in found(tmp_path)[1] if not isinstance(item, LeftOut)] == []


def test_an_import_names_the_projects_that_it_leaves_out_before_it_asks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TELLONCE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
    lines(tmp_path / "projects" / "-srv-shop" / "s1.jsonl", *SESSION)
    lines(tmp_path / "projects" / "-srv-shop" / "memory" / "MEMORY.md", "- The shop opens at 8")
    lines(tmp_path / "plugins" / "data" / "tellonce-tellonce" / "projects.json", {"/srv/shop": "recall"})
    run(None, tmp_path / "projects", None, None, None, dry_run=True)
    text = " ".join(capsys.readouterr().out.split())
    assert "left out: 2 files of /srv/shop, in which the plugin may not record" in text


@pytest.mark.parametrize("content", ["{}", "just words", "[1, 2]", "\x00\xff"])
def test_what_is_no_export_says_which_kinds_there_are(tmp_path: Path, content: str) -> None:
    (tmp_path / "file").write_text(content)
    with pytest.raises(ImportFailed, match="claude-code, mcp-memory, mem0, markdown are known"):
        found(tmp_path / "file")


@pytest.mark.parametrize(
    ("name", "content", "fault"), [("a.json", "", "is empty"), ("a.zip", "PK", "not a complete zip")]
)
def test_a_file_that_was_not_downloaded_whole_is_named(tmp_path: Path, name: str, content: str, fault: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(ImportFailed, match=fault):
        found(tmp_path / name)


@pytest.mark.parametrize(
    ("kind", "export"),
    [
        ("telegram", {"type": "saved_messages", "id": 1, "messages": [{"id": 1, "type": "message", "date_unixtime": "1704103200", "text": "mapping"}]}),
        ("chatgpt", [{"id": "c", "create_time": 1, "current_node": "a", "mapping": {"a": {"id": "a", "message": {"author": {"role": "user"}, "create_time": 5.0, "content": {"content_type": "text", "parts": ["\"memory\" hi"]}}}}}]),
        ("claude", [{"uuid": "c", "chat_messages": [{"uuid": "m", "sender": "human", "text": "hi", "created_at": "2024-01-01T00:00:00Z"}]}]),
        ("jsonl", {"role": "user", "content": "\"memory\"", "sent_at": "2024-01-01T00:00:00Z"}),
    ],
)  # fmt: skip
def test_the_former_kinds_are_recognized_too(tmp_path: Path, kind: str, export: Any) -> None:
    (tmp_path / "upload").write_text(json.dumps(export))
    assert found(tmp_path / "upload")[0] == kind
