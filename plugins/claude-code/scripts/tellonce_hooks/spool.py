"""Stores the messages that are not recorded yet. Each message has its own file. A file is written before the server is
called and removed after the call.

For each session, a file lists the ids of the messages that are done, one per line, so that no message is sent twice.
"""

from __future__ import annotations

import os
import time

from tellonce_hooks.json_codec import dumps, loads
from tellonce_hooks.project import data
from tellonce_hooks.server import Refused, record_turn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tellonce_hooks.server import Json


BATCH = 50
"""Maximum number of messages per call; the server accepts no more."""

SESSION_DAYS = 60
SECONDS = 20.0


def put(place: Json, message: Json) -> str:
    """Store a message with its conversation and session (`place`). Returns the message's file."""
    folder = _folder("spool")
    file = os.path.join(folder, f"{time.time_ns():020d}-{_name(message['message_id'])}.json")
    try:
        with open(file + ".part", "w", encoding="utf-8") as stream:
            stream.write(dumps({"place": place, "message": message}))
        os.replace(file + ".part", file)
    except OSError:
        _remove(file + ".part")  # the disk is full
        raise
    return file


def done(session: str, ids: list[str], files: list[str]) -> None:
    """A message is done if it was recorded or must never be recorded."""
    with open(os.path.join(_folder("sessions"), _name(session)), "a", encoding="utf-8") as stream:
        stream.write("".join(one + "\n" for one in ids))
    for file in files:
        _remove(file)


def tidy() -> None:
    """Delete the lists of old sessions."""
    folder = _folder("sessions")
    for name in os.listdir(folder):
        file = os.path.join(folder, name)
        if os.path.getmtime(file) < time.time() - SESSION_DAYS * 86400:
            os.unlink(file)


def finished(session: str) -> set[str] | None:
    """The ids of the session's messages that are done; None if no hook has run in this session yet."""
    try:
        with open(os.path.join(_folder("sessions"), _name(session)), encoding="utf-8") as stream:
            return set(stream.read().split("\n"))
    except FileNotFoundError:
        return None


def waiting() -> list[tuple[str, Json]]:
    """The stored messages by their times. A catch-up can store an old message after a newer one."""
    folder = _folder("spool")
    found: list[tuple[str, Json]] = []
    for name in sorted(os.listdir(folder)):
        if name.endswith(".json"):
            try:
                with open(os.path.join(folder, name), encoding="utf-8") as stream:
                    found.append((os.path.join(folder, name), loads(stream.read())))
            except (OSError, ValueError):
                continue  # another hook has deleted the file
    # All times are in UTC in one format. If a time is not a text, the server refuses the message, and the message is
    # dropped.
    return sorted(found, key=lambda kept: str(kept[1]["message"]["sent_at"]))


def waiting_ids() -> set[str]:
    """The ids of the stored messages."""
    return {entry["message"]["message_id"] for _, entry in waiting()}


def flush(event: str) -> None:
    """Record the stored messages, session by session. If the server cannot be reached (Away), the remaining messages
    stay stored."""
    by_place: dict[str, list[tuple[str, Json]]] = {}
    for file, entry in waiting():
        by_place.setdefault(dumps(entry["place"]), []).append((file, entry["message"]))
    for place, entries in by_place.items():
        for start in range(0, len(entries), BATCH):
            _send(loads(place), entries[start : start + BATCH], event)


def _send(place: Json, entries: list[tuple[str, Json]], event: str) -> None:
    messages = [message for _, message in entries]
    try:
        record_turn({**place, "event": event, "messages": messages}, SECONDS)
    except Refused:
        if len(entries) > 1:
            for entry in entries:
                _send(place, [entry], event)
            return
        # The server would refuse the message again, so it is dropped.
    done(place["session"], [message["message_id"] for message in messages], [file for file, _ in entries])


def _remove(file: str) -> None:
    try:
        os.unlink(file)
    except FileNotFoundError:
        pass  # another hook was faster


def _folder(name: str) -> str:
    folder = os.path.join(data(), name)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    return folder


def _name(text: str) -> str:
    return "".join(c if c.isalnum() or c in "-_" else "_" for c in text)[:100]
