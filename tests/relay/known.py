"""Profiles as the server returns them."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from tellonce import contract as c

NOW = datetime(2026, 2, 16, 1, 15, tzinfo=UTC)
SINGAPORE = ZoneInfo("Asia/Singapore")


def memory(kind: c.MemoryKind, content: str, deadline: datetime | None = None, **more: object) -> c.Memory:
    return c.Memory.model_validate(
        {
            "id": 1,
            "kind": kind,
            "content": content,
            "scope": "chat",
            "chat_id": 42,
            "status": "active",
            "confidence": 1.0,
            "priority": 1,
            "importance": 0.5,
            "pinned": False,
            "deadline": deadline,
            "valid_from": NOW,
            "valid_to": None,
            "origin": "user",
            "user_confirmed": True,
            "sources": (),
            "superseded_by": None,
            **more,
        }
    )


def profile(**more: object) -> c.Profile:
    empty: dict[str, object] = dict.fromkeys(("facts", "preferences", "goals", "dates", "pins", "uncertain"), ())
    talk = c.Conversation(messages=47, summaries=2, verbatim=20)
    return c.Profile.model_validate({**empty, "narrative": "", "conversation": talk, "version": 1, **more})
