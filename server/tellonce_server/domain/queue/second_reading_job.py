"""The job in which a model compares the connected assistant's statements with the user's messages. Unsupported
statements become uncertain."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final

from tellonce.work import Claim, Quote, SecondReadingInput, SecondReadingResult, WorkInput
from tellonce_server.domain.memory import retraction, statements
from tellonce_server.domain.queue.exchange_job import OWN_CHARACTERS
from tellonce_server.domain.queue.job_type import JobType, enqueue_following, shown
from tellonce_server.store import memories, messages, queue
from tellonce_server.store.database import Queries
from tellonce_server.store.memories import ToReadAgain
from tellonce_server.store.messages import Line
from tellonce_server.store.queue import Job
from tellonce_text.secrets import mask

AT_ONCE: Final = 20
"""Maximum statements in one job."""

MOST_CHARACTERS: Final = 40_000
"""Maximum characters of the messages in one job. A job always has at least one statement, however long its messages
are."""

BEFORE, AFTER = 4, 2
"""Messages that the model reads before and after the source of a statement."""


class SecondReadingJob(JobType[SecondReadingResult]):
    result = SecondReadingResult

    def changes(self, chat: str) -> tuple[str, ...]:
        return ("memory://profile", f"{chat}/summary")

    async def read(self, job: Job) -> WorkInput | None:
        key, database = job.key, self._deps.database
        lines: dict[int, Line] = {}
        claims: list[ToReadAgain] = []
        for claim in await memories.to_read_again(database, *key.chat, AT_ONCE):
            more = lines | {line.id: line for line in await self._around(job, claim)}
            if claims and _characters(more.values()) > MOST_CHARACTERS:
                break
            lines = more
            claims.append(claim)
        if not lines:
            return None
        await queue.show(database, *key, job.fence, [claim.memory_id for claim in claims])
        return SecondReadingInput(
            timezone=self._deps.settings.timezone,
            user_name=await memories.user_name(database, *key.chat),
            messages=tuple(shown(lines[number], OWN_CHARACTERS) for number in sorted(lines)),
            claims=tuple(_claim(claim) for claim in claims),
        )

    async def _around(self, job: Job, claim: ToReadAgain) -> Sequence[Line]:
        found: list[Line] = []
        for number in claim.source_ids:
            source = await messages.by_id(self._deps.database, *job.key.chat, number)
            if source is not None:
                place = (*job.key.chat, source.thread_key, number - BEFORE, number + AFTER, BEFORE + 1 + AFTER)
                found += await messages.id_range(self._deps.database, *place)
        return found

    async def prepare(self, owner_id: int, result: SecondReadingResult) -> None:
        doubted = [verdict.memory_id for verdict in result.verdicts if verdict.doubt is not None]
        await retraction.warm(self._deps.embedder, self._deps.database, owner_id, doubted, [])

    async def apply(self, t: Queries, job: Job, result: SecondReadingResult, now: datetime) -> dict[str, int]:
        """Apply the verdicts on the statements that the worker got and that have not changed since."""
        owner, counts = job.key.owner_id, Counter[str]()
        open_claims = {claim.memory_id for claim in await memories.to_read_again(t, *job.key.chat, AT_ONCE)}
        doubts = {
            v.memory_id: v.doubt for v in result.verdicts if v.memory_id in open_claims.intersection(job.known_ids)
        }
        ended = []
        for memory in await memories.by_ids(t, owner, list(doubts)):
            doubt = doubts[memory.id]
            counts["confirmed" if doubt is None else "doubted"] += 1
            if doubt is None:
                await memories.hold(t, owner, memory.id)
            else:
                await statements.mark_uncertain(t, owner, memory, mask(doubt), now)
                ended.append((memory, ""))
        if await retraction.strike(self._deps.embedder, t, owner, ended, now):
            await enqueue_following(t, job, "profile", job.thread_key, "profile", now)
        if doubts and (len(open_claims) == AT_ONCE or not open_claims.issubset(job.known_ids)):
            await enqueue_following(t, job, job.kind, job.thread_key, job.dedup_key, now)
        return dict(counts)


def _characters(lines: Iterable[Line]) -> int:
    return sum(min(len(line.content), OWN_CHARACTERS) for line in lines)


def _claim(claim: ToReadAgain) -> Claim:
    return Claim(
        memory_id=claim.memory_id,
        text=claim.text,
        quotes=tuple(Quote(message_id=quote.message_id, text=quote.text) for quote in claim.quotes),
        deadline=claim.deadline,
        over=tuple(claim.over),
    )
