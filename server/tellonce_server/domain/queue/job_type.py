"""The base class of the kinds of jobs. A kind says how a claimed job's input is read and how its result is applied in
one transaction."""

from abc import ABC, abstractmethod
from datetime import datetime, timedelta
from datetime import timezone as fixed_zone
from typing import Generic, TypeVar

from tellonce.work import JobKind, WorkInput, WorkMessage
from tellonce_server.domain.dependencies import Dependencies
from tellonce_server.store import messages, queue
from tellonce_server.store.database import Queries
from tellonce_server.store.messages import Line
from tellonce_server.store.queue import Job, NewJob
from tellonce_text.secrets import mask
from tellonce_text.tokens import head_and_tail

MESSAGE_CHARACTERS = 4000
"""Maximum characters of one message in the input of a summary."""

ResultT = TypeVar("ResultT")


class ResultRefused(Exception):
    """The result does not fit its job. The refusal counts as a failed attempt."""


class JobType(ABC, Generic[ResultT]):
    """`result` is the model of this kind's results."""

    result: type[ResultT]

    def __init__(self, deps: Dependencies) -> None:
        self._deps = deps

    @abstractmethod
    async def read(self, job: Job) -> WorkInput | None:
        """The worker's input, with secrets masked; None if nothing is left to do."""

    @abstractmethod
    async def apply(self, t: Queries, job: Job, result: ResultT, now: datetime) -> dict[str, int]:
        """Apply the result and return counts of what was stored."""

    async def prepare(self, owner_id: int, result: ResultT) -> None:
        """Do slow work for a result, such as embedding, before the transaction."""

    def changes(self, chat: str) -> tuple[str, ...]:
        """The resources that the result changes, besides the chat's context, which every result changes."""
        return (f"{chat}/summary",)

    async def _lines(self, job: Job, limit: int) -> list[Line]:
        key = job.key
        return await messages.id_range(self._deps.database, *key.chat, job.thread_key, job.from_id, job.to_id, limit)


async def enqueue_following(
    t: Queries, job: Job, kind: JobKind, thread_key: str, dedup_key: str, now: datetime
) -> None:
    """Queue another job for the messages of `job`. The new job has the same class as `job`, such as past work."""
    key = job.key
    new = NewJob(*(*key.chat, kind, thread_key, dedup_key, job.from_id, job.to_id, now), job_class=job.job_class)
    await queue.enqueue(t, new, now)


def sender_time(line: Line) -> datetime:
    """The time of the message with the UTC offset of the sender's clock."""
    return line.sent_at.astimezone(fixed_zone(timedelta(minutes=line.utc_offset)))


def shown(line: Line, characters: int = MESSAGE_CHARACTERS) -> WorkMessage:
    """The message as a worker sees it: masked and clipped."""
    clipped = head_and_tail(mask(line.content), characters)
    return WorkMessage(
        id=line.id, role=line.role, speaker=line.speaker, at=sender_time(line), text=clipped, routine=line.routine
    )
