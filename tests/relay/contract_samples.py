"""Profiles and summaries as the server returns them."""

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


def summary(**more: object) -> c.ChatSummary:
    quiet = {"waiting": 0, "in_work": 0, "dead": 0, "oldest_seconds": None}
    return c.ChatSummary.model_validate(
        {
            "periods": [
                {
                    "id": 1,
                    "thread_key": "root:42",
                    "period": "Feb 15–16",
                    "from_at": NOW,
                    "to_at": NOW,
                    "count": 32,
                    "text": "SingPass was planned.",
                    "provisional": False,
                }
            ],
            "thread_summary": "",
            "session_summary": "",
            "current_session": {"count": 12, "since": NOW, "text": "AWS costs."},
            "canonical": {
                "user_confirmed": "",
                "llm_inferred": "",
                "general_summary": "",
                "version": 1,
                "tokens": 0,
            },
            "routines_today": [{"name": "morning-summary", "time": "07:02 AM", "summary": "Two things are due."}],
            "backlog": quiet,
            "coverage": {"verbatim": 12, "summarised": 32, "pending": 0, "gap": 0},
            "queued": [],
            **more,
        }
    )
