"""Conversations and work items for the summarizer's tests."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from tellonce.contract import Role
from tellonce.work import (
    Canonical,
    ChunkInput,
    ExchangeInput,
    KnownMemory,
    NotableSentence,
    RoutineInput,
    WorkInput,
    WorkItem,
    WorkMessage,
)

ZONE = "Asia/Singapore"
SINGAPORE = ZoneInfo(ZONE)
START = datetime(2026, 2, 15, 21, tzinfo=SINGAPORE)

DEBUGGING = (
    "Hi! I'm working on the SingPass integration and the OAuth callback keeps failing with invalid_grant.",
    "Certainly! The invalid_grant error usually means the code was reused or the redirect URI does not match.",
    "I tried changing the redirect URI but it still fails. The registered one is https://api.gov.sg/cb.",
    "Then check clock skew: SingPass rejects JWT assertions older than 2 minutes.",
    "It turned out the server clock was 4 minutes off. Works now!",
    "Great, syncing with NTP fixed it.",
    "We decided to use chrony on all hosts. I need to launch the integration by Q2 2026.",
    "Noted. Use chrony with the AWS time sync service.",
    "Thanks! How do we rotate the signing keys?",
)


def messages(
    texts: Iterable[str] = DEBUGGING, start: datetime = START, step: timedelta = timedelta(hours=1)
) -> tuple[WorkMessage, ...]:
    """Messages of the user and the assistant, alternating."""
    roles: tuple[Role, Role] = ("user", "assistant")
    return tuple(
        WorkMessage(id=index + 1, role=roles[index % 2], at=start + index * step, text=text)
        for index, text in enumerate(texts)
    )


def chunk(texts: Iterable[str] = DEBUGGING, **fields: Any) -> ChunkInput:
    return ChunkInput(timezone=ZONE, messages=messages(texts), **fields)


def exchange(user: str, assistant: str = "Noted.", **fields: Any) -> ExchangeInput:
    said = messages((user, assistant))
    given = {"canonical": Canonical(), "canonical_cap_tokens": 2000, "now": said[-1].at, "messages": said, **fields}
    return ExchangeInput(timezone=ZONE, **given)


def known(number: int, text: str, **fields: Any) -> KnownMemory:
    given = {"kind": "fact", "since": START - timedelta(days=30), "status": "active", **fields}
    return KnownMemory(id=number, text=text, **given)


def notable(text: str, message_id: int = 1, **fields: Any) -> NotableSentence:
    given = {"score": 1.0, "group": "fact", "shown": True, **fields}
    return NotableSentence(message_id=message_id, text=text, **given)


def routine(text: str) -> RoutineInput:
    message = WorkMessage(id=1, role="assistant", at=START, text=text, routine="morning-summary")
    return RoutineInput(timezone=ZONE, name="morning-summary", message=message)


def job(work: WorkInput, number: int = 1, **fields: Any) -> WorkItem:
    given = {"fence": 1, "attempt": 1, "lease_seconds": 60.0, "best_tier": "claude", **fields}
    return WorkItem(job_id=f"1:1:{number}", kind=work.kind, input=work, **given)
