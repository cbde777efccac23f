"""Seeded synthetic exports in the documented formats."""

import json
import random
from pathlib import Path
from typing import Any

START = 1_767_225_600  # 2026-01-01 00:00 UTC
TOPICS = {2: "Garden", 3: "Travel"}
PLANTED = {
    "Where did we hide the spare key?": "The spare key is under the blue flowerpot",
    "Which flight do I take to Oslo?": "My flight to Oslo is SK4035",
}
_WORDS = (
    "garden tomato ladder weather rain walk coffee train ticket meeting music film dinner bike river market paint window "
    "letter shelf lamp holiday bread soup neighbour football cinema library"
).split()
_EMOJI = "😀🎉🌧️🍅🚲👍❤️"


def telegram(path: Path, messages: int = 3000, seed: int = 1) -> dict[str, str]:
    """Write the export of a bot chat in a supergroup. Returns questions with their answers. The answers are among the
    messages."""
    rng = random.Random(seed)
    entries: list[dict[str, Any]] = [_service(1, "create_group")]
    entries += [{**_service(number, "topic_created"), "title": title} for number, title in TOPICS.items()]
    planted = dict(zip(rng.sample(range(100, messages), len(PLANTED)), PLANTED.values(), strict=True))
    for number in range(len(entries) + 1, messages + 1):
        entries.append(_message(number, rng, planted.get(number)))
    export = {"name": "Memory Bot", "type": "bot_chat", "id": 777, "messages": entries}
    text = json.dumps(export, ensure_ascii=False, indent=1)
    # Older exporters wrote control characters as \xNN, which is not valid JSON.
    path.write_text(text.replace("CONTROL", "\\x0b"), encoding="utf-8")
    return PLANTED


def _service(number: int, action: str) -> dict[str, Any]:
    at = START + number * 60
    return {
        "id": number,
        "type": "service",
        "date_unixtime": str(at),
        "actor": "Priya",
        "actor_id": "user42",
        "action": action,
        "text": "",
    }


def _message(number: int, rng: random.Random, planted: str | None) -> dict[str, Any]:
    mine = number % 2 == 0 or planted is not None
    text = planted or " ".join(rng.choices(_WORDS, k=rng.randint(3, 25))).capitalize() + "."
    entry: dict[str, Any] = {
        "id": number,
        "type": "message",
        "date": "2026-01-01T00:00:00",
        "date_unixtime": str(START + number * 60),
        "from": "Priya" if mine else "Memory Bot",
        "from_id": "user42" if mine else "user999",
        "text": _spread(text, rng) if planted is None else text,
    }
    return entry if planted else entry | _extras(number, rng)


def _spread(text: str, rng: random.Random) -> Any:
    """The text in one of the forms of an export: plain, with an emoji, or as an array of strings and objects."""
    match rng.randrange(6):
        case 0:
            return ["See ", {"type": "bold", "text": text}, " ok"]
        case 1:
            return f"{text} {rng.choice(_EMOJI)}"
        case 2:
            return f"{text}CONTROL"
        case _:
            return text


def _extras(number: int, rng: random.Random) -> dict[str, Any]:
    match rng.randrange(12):
        case 0:
            return {"reply_to_message_id": rng.choice(list(TOPICS))}
        case 1:
            return {"reply_to_message_id": max(4, number - rng.randint(1, 40))}
        case 2:
            return {"edited": "2026-01-02T00:00:00", "edited_unixtime": str(START + number * 60 + 30)}
        case 3:
            return {"photo": "(File not included. Change data exporting settings to download.)", "text": ""}
        case 4:
            return {"media_type": "voice_message", "file": "voice.ogg", "duration_seconds": 4, "text": ""}
        case _:
            return {}


def chatgpt(path: Path) -> None:
    """Write an export of two conversations: one has a branch that was not shown, and the other has custom
    instructions."""

    def node(key: str, parent: str | None, role: str, text: str, children: list[str]) -> dict[str, Any]:
        message = {"author": {"role": role}, "create_time": START, "content": {"content_type": "text", "parts": [text]}}
        return {"id": key, "parent": parent, "children": children, "message": message}

    first = {
        "root": {"id": "root", "parent": None, "children": ["a"], "message": None},
        "a": node("a", "root", "user", "I have a cat called Mochi", ["b", "x"]),
        "x": node("x", "a", "assistant", "A first try nobody kept", []),
        "b": node("b", "a", "assistant", "Mochi is a lovely name", []),
    }
    editable = {
        "author": {"role": "user"},
        "content": {
            "content_type": "user_editable_context",
            "user_profile": "I am a nurse in Oslo\n",
            "user_instructions": "",
        },
    }
    second: dict[str, Any] = {"m": {"id": "m", "parent": None, "children": [], "message": editable}}
    path.write_text(
        json.dumps(
            [
                {"id": "c1", "title": "Cats", "create_time": START, "mapping": first, "current_node": "b"},
                {"id": "c2", "title": None, "create_time": START, "mapping": second, "current_node": "m"},
            ]
        )
    )


def claude(folder: Path) -> None:
    folder.mkdir()
    message = {"uuid": "m1", "sender": "human", "created_at": "2026-01-02T03:04:05Z", "text": "", "attachments": []}
    told = message | {"content": [{"type": "thinking", "text": "hm"}, {"type": "text", "text": "I play the cello"}]}
    answer = message | {"uuid": "m2", "sender": "assistant", "content": [{"type": "text", "text": "How nice"}]}
    conversation = {"uuid": "c1", "name": "Music", "chat_messages": [told, answer]}
    (folder / "conversations.json").write_text(json.dumps([conversation]))
    (folder / "memories.json").write_text(
        json.dumps([{"conversations_memory": "Purpose\n- Plays the cello in a quartet\n"}])
    )
