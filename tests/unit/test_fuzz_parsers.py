"""Malformed exports and malformed answers of other programs are reported or skipped, and never cause a crash."""

import copy
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tellonce_cli.importers.files import Source
from tellonce_cli.importers.items import ImportFailed, KnownAs, Unreadable
from tellonce_cli.importers.recognition import READERS
from tellonce_relay.turn.tags import parse, shown_so_far
from tellonce_server.services.import_memories import ExportedMemory, ImportMemory
from tellonce_server.services.import_messages import ImportMessage

VALID: dict[str, Any] = {
    "telegram": {
        "name": "Bob",
        "type": "personal_chat",
        "id": 5,
        "messages": [
            {
                "id": 1,
                "type": "message",
                "date_unixtime": "1704103200",
                "text": "hi",
                "from": "Ann",
                "from_id": "user1",
            },
            {"id": 2, "type": "service", "date_unixtime": "1704103201", "action": "pin_message"},
            {
                "id": 3,
                "type": "message",
                "date_unixtime": "1704103202",
                "from": "Bob",
                "from_id": "user5",
                "reply_to_message_id": 1,
                "text": [{"type": "bold", "text": "so"}, " it is"],
            },
        ],
    },
    "chatgpt": [
        {
            "id": "c1",
            "title": "Tea",
            "create_time": 1704103200.0,
            "current_node": "b",
            "mapping": {
                "a": {"id": "a", "parent": None, "children": ["b"], "message": None},
                "b": {
                    "id": "b",
                    "parent": "a",
                    "children": [],
                    "message": {
                        "id": "b",
                        "author": {"role": "user"},
                        "create_time": 1704103200.0,
                        "content": {"content_type": "text", "parts": ["I like tea"]},
                        "metadata": {},
                    },
                },
            },
        }
    ],
    "claude": [
        {
            "uuid": "c1",
            "name": "Tea",
            "created_at": "2024-01-01T10:00:00Z",
            "chat_messages": [
                {
                    "uuid": "m1",
                    "sender": "human",
                    "text": "I like tea",
                    "content": [{"type": "text", "text": "I like tea"}],
                    "created_at": "2024-01-01T10:00:00Z",
                }
            ],
        }
    ],
    "jsonl": {"role": "user", "content": "I like tea", "sent_at": "2024-01-01T10:00:00Z", "message_id": "1"},
}
ITEMS = (ImportMessage, ImportMemory, ExportedMemory, Unreadable, KnownAs)
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=4,
)


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every container in a JSON value, paired with each of its keys."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else []
    return [(value, key) for key in keys] + [place for key in keys for place in places(value[key])]


@st.composite
def broken(draw: st.DrawFn, kind: str) -> bytes:
    """A valid export with a few values changed or removed, a truncated export, or data that is not an export."""
    export = copy.deepcopy(VALID[kind])
    for _ in range(draw(st.integers(1, 3))):
        if not (known := places(export)):
            break
        container, key = draw(st.sampled_from(known))
        if draw(st.booleans()) and isinstance(container, dict):
            del container[key]
        else:
            container[key] = draw(JUNK)
    text = json.dumps(export).encode()
    return draw(
        st.sampled_from([text, text, text, text[: draw(st.integers(0, len(text)))], draw(st.binary(max_size=40))])
    )


@pytest.mark.parametrize("kind", VALID)
@given(data=st.data())
@settings(max_examples=80, deadline=None)
def test_a_broken_export_is_reported_and_never_crashes_its_import(kind: str, data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "export.json"
        file.write_bytes(data.draw(broken(kind)))
        said, found = "", []
        try:
            found = list(READERS[kind](Source(file), lambda _: None))
        except ImportFailed as failed:
            said = str(failed)
    assert all(isinstance(item, ITEMS) for item in found)
    assert not said or len(said) > 20


FRAGMENTS = (
    *(
        "[REMEMBER: ",
        "[REMEMBER_GLOBAL:",
        "[GOAL: run | DEADLINE: May]",
        "[DONE: tax]",
        "[",
        "]",
        "|",
        "```",
        "`",
        "\n",
    ),
    *("REMEMBER", ": ", "[REM", "EMBER: x]", "[remember: tea]", "⟦memory⟧", "[x](y)", "tea"),
)
ANSWERS = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=10), max_size=14).map("".join)


@given(ANSWERS)
@example("[REM[GOAL: run | DEADLINE: May]EMBER: x]")
@settings(max_examples=500, deadline=None)
def test_any_answer_is_parsed_and_what_is_shown_of_it_carries_no_tag(answer: str) -> None:
    parsed = parse(answer)
    assert all(tag.text.strip() for tag in parsed.tags)
    # Code is shown as written, even if it looks like a tag.
    assert "`" in answer or parse(parsed.visible).tags == ()
    for end in range(len(answer)):
        shown = shown_so_far(answer[:end])
        assert isinstance(shown, str)
