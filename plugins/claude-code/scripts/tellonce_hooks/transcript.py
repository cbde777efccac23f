"""Reads a session's prompts and replies from Claude Code's transcript. The transcript also contains messages that no
hook has received."""

from __future__ import annotations

from tellonce_hooks.json_codec import loads
from tellonce_hooks.project import without_private

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tellonce_hooks.server import Json


MOST_BYTES = 60000
"""Maximum bytes of one message; the server accepts 64 KiB."""

CUT = "\n… (cut)"
OWN_FORMS = ("<command-", "<local-command", "<bash-", "<task-notification", "<system-reminder")
"""User entries that begin like this were written by Claude Code, not by the person."""

FAILURE = "isApiErrorMessage"
"""Entries with this flag show an API failure instead of a reply."""

UNSAID = ("isSidechain", "isMeta", "isCompactSummary", FAILURE)
"""Flags of entries that are neither the person's prompt nor the assistant's reply."""


def message(role: str, content: str, message_id: str, sent_at: str, **more: str) -> Json:
    """A message in the form of `record_turn`. A text that is too long is cut."""
    raw = content.encode("utf-8", "replace")
    text = content if len(raw) <= MOST_BYTES else raw[:MOST_BYTES].decode("utf-8", "ignore") + CUT
    return {"role": role, "content": text.replace("\x00", ""), "message_id": message_id, "sent_at": sent_at, **more}


def reply_id(prompt_id: str) -> str:
    return prompt_id + ":reply"


def is_command(prompt: str) -> bool:
    """Whether a prompt is a command of Claude Code (`/name …`) and not a path. Commands are not recorded."""
    return prompt[:1] == "/" and "/" not in prompt.split(None, 1)[0][1:]


def turns(path: str) -> list[Json]:
    """The messages, oldest first. Private parts are left out. A reply to a prompt with a private part is left out, too."""
    found: dict[str, Json] = {}
    try:
        with open(path, encoding="utf-8", errors="replace") as stream:
            for line in stream:
                _take(line, found)
    except OSError:
        return []
    return [one for turn in found.values() for one in _messages(turn)]


def is_failure(path: str, reply: str) -> bool:
    """Whether the transcript says that this text is a failure of the API."""
    try:
        with open(path, encoding="utf-8", errors="replace") as stream:
            entries = [loads(line) for line in stream if f'"{FAILURE}":true' in line]
    except (OSError, ValueError):
        return False
    return any(_text((entry.get("message") or {}).get("content")) == reply.strip() for entry in entries)


def _take(line: str, found: dict[str, Json]) -> None:
    if '"type":"user"' not in line and '"type":"assistant"' not in line:
        return
    try:
        entry = loads(line)
        text = _text(entry["message"]["content"])
    except (ValueError, LookupError, TypeError, RecursionError):
        return  # the program was killed while it wrote this line, or the entry has another form
    if not text or not isinstance(entry.get("timestamp"), str) or any(entry.get(flag) for flag in UNSAID):
        return
    if entry.get("type") == "user":
        prompt = entry.get("promptId")
        if isinstance(prompt, str) and prompt not in found:
            # A command counts as a turn. Otherwise, the reply to the command would be taken for the reply to the
            # previous prompt. A command is not a message of the user, so the turn's text is empty.
            said = "" if text.startswith(OWN_FORMS) else text
            found[prompt] = {"id": prompt, "text": said, "at": entry["timestamp"], "reply": None}
    elif entry.get("type") == "assistant" and found:
        turn = list(found.values())[-1]
        turn["reply"], turn["replied"] = text, entry["timestamp"]


def _text(content: object) -> str:
    if isinstance(content, str):
        return content.strip()
    blocks = content if isinstance(content, list) else []
    if any(isinstance(block, dict) and block.get("type") == "tool_result" for block in blocks):
        return ""
    texts = [block.get("text", "") for block in blocks if isinstance(block, dict) and block.get("type") == "text"]
    return "\n".join(text for text in texts if text).strip()


def _messages(turn: Json) -> list[Json]:
    said = without_private(turn["text"])
    if not said:
        return []
    prompt = message("user", said, turn["id"], turn["at"])
    if said != turn["text"] or not turn["reply"]:
        return [prompt]
    reply = message("assistant", turn["reply"], reply_id(turn["id"]), turn["replied"], exchange_of=turn["id"])
    return [prompt, reply]
