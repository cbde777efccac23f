"""Conversations and work items for the summarizer's tests."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from chatmem.contract import Role
from chatmem.work import Canonical, ChunkInput, ExchangeInput, RoutineInput, WorkInput, WorkItem, WorkMessage

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
    """User and assistant in turn."""
    roles: tuple[Role, Role] = ("user", "assistant")
    return tuple(
        WorkMessage(id=index + 1, role=roles[index % 2], at=start + index * step, text=text)
        for index, text in enumerate(texts)
    )


def chunk(texts: Iterable[str] = DEBUGGING) -> ChunkInput:
    return ChunkInput(timezone=ZONE, messages=messages(texts))


def exchange(user: str, assistant: str = "Noted.", **fields: Any) -> ExchangeInput:
    given = {"canonical": Canonical(), "canonical_cap_tokens": 2000, **fields}
    return ExchangeInput(timezone=ZONE, messages=messages((user, assistant)), **given)


def routine(text: str) -> RoutineInput:
    message = WorkMessage(id=1, role="assistant", at=START, text=text, routine="morning-summary")
    return RoutineInput(timezone=ZONE, name="morning-summary", message=message)


def job(work: WorkInput, number: int = 1, **fields: Any) -> WorkItem:
    given = {"fence": 1, "attempt": 1, "lease_seconds": 60.0, "best_rung": "claude", **fields}
    return WorkItem(job_id=f"1:1:{number}", kind=work.kind, input=work, **given)
