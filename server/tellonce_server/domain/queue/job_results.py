"""The second step of the write-ahead queue: applies a finished job's result inside one transaction."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from pydantic import TypeAdapter

from tellonce.contract import Memory
from tellonce.work import Canonical, ExchangeResult, ProfileResult, RoutineResult, SummaryResult, WorkResult
from tellonce_server.core.scope import known_everywhere, session_thread
from tellonce_server.domain.dependencies import Dependencies
from tellonce_server.domain.erasure.rebuild import queue_rolling_rebuild
from tellonce_server.domain.memory.extraction_results import Learner
from tellonce_server.domain.queue.work_inputs import level_of
from tellonce_server.domain.retrieval.lexical import index_text, scope_lexemes
from tellonce_server.store import chats, memories, messages, profile, queue, summaries
from tellonce_server.store.database import Queries
from tellonce_server.store.queue import Job, NewJob
from tellonce_server.store.summaries import SummaryText
from tellonce_text.secrets import mask
from tellonce_text.tokens import clip, estimate

_RESULT: TypeAdapter[WorkResult] = TypeAdapter(WorkResult)


LISTED: tuple[tuple[str, str], ...] = (
    ("facts", "fact"),
    ("preferences", "preference"),
    ("goals", "goal"),
    ("dates", "date"),
)


class ResultRefused(Exception):
    """The result does not fit its job. The error text says why. The refusal counts as a failed attempt of the job."""


class Applier:
    def __init__(self, deps: Dependencies, learner: Learner) -> None:
        self._deps = deps
        self._learner = learner

    async def prepare(self, owner_id: int, result: WorkResult) -> None:
        """Do the slow work that the result needs before it is applied, such as embedding, so that no transaction waits
        for this work."""
        if isinstance(result, ExchangeResult):
            await self._learner.prepare(owner_id, result)

    async def apply(self, t: Queries, job: Job, now: datetime) -> dict[str, int]:
        """Apply the result and return counts of what was stored.

        Raises: ResultRefused: the result is of another kind than the job, or a chunk summary does not continue its
        thread.
        """
        result = _RESULT.validate_python(job.result)
        match result, job.kind:
            case ExchangeResult(), "exchange":
                return await self._exchange(t, job, result, now)
            case SummaryResult(), "chunk_summary":
                return await self._chunk(t, job, result, now)
            case SummaryResult(), "erasure":
                return await self._rewrite(t, job, result, now)
            case SummaryResult(), "thread_summary":
                return await self._rolling(t, job, result, now)
            case ProfileResult(), "profile":
                return await self._profile(t, job, result, now)
            case RoutineResult(), "routine_summary":
                return await self._routine(t, job, result)
            case _:
                raise ResultRefused(f"a {result.kind} result does not answer a {job.kind} job")

    def announce(self, job: Job) -> None:
        """Notify subscribers and workers after the commit."""
        chat = f"memory://chat/{job.key.chat_id}"
        changed = {
            "exchange": ("memory://profile", f"{chat}/summary"),
            "profile": ("memory://profile",),
        }.get(job.kind, (f"{chat}/summary",))
        self._deps.tell_subscribers(job.key.owner_id, *changed, f"{chat}/context")
        self._deps.tell_workers()

    async def _exchange(self, t: Queries, job: Job, result: ExchangeResult, now: datetime) -> dict[str, int]:
        learned = await self._learner.learn(t, job, result, now)
        # The result of a past job may be too old for the canonical summary, which later exchanges have already updated.
        if not job.past or await queue.carries_canonical(t, job.key):
            await self._canonical(t, job, learned.canonical, now)
        struck = await self._learner.strike(t, job, learned, now)
        seen = await profile.count_exchange(t, job.key.owner_id)
        due = seen.first or seen.exchanges_since >= self._deps.settings.compaction.profile_exchanges
        if struck or seen.wrong or (seen.stale and due):
            await self._enqueue_profile(t, job, now)
        return dict(learned.counts)

    async def _canonical(self, t: Queries, job: Job, text: Canonical, now: datetime) -> None:
        masked = Canonical(**{name: mask(value) for name, value in text.model_dump().items()})
        tokens = estimate("\n".join(masked.model_dump().values()))
        key = job.key
        await chats.set_canonical(
            t,
            key.owner_id,
            key.chat_id,
            masked,
            tokens=tokens,
            model=job.model or "",
            provisional=job.provisional,
            newest_id=job.to_id,
            now=now,
        )

    async def _enqueue_profile(self, t: Queries, job: Job, now: datetime) -> None:
        key = job.key
        await queue.enqueue(
            t,
            _following(job, NewJob(key.owner_id, key.chat_id, "profile", job.thread_key, "profile", *_span(job), now)),
            now,
        )

    async def _chunk(self, t: Queries, job: Job, result: SummaryResult, now: datetime) -> dict[str, int]:
        key, text = job.key, self._summary_text(job, result)
        place = (key.owner_id, key.chat_id, job.thread_key)
        if await summaries.add_chunk(t, *place, job.from_id, job.to_id, text, now) is not None:
            await self._enqueue_rolling(t, job, now)
        elif not (await self._rewrite(t, job, result, now))["summaries"]:
            raise ResultRefused(f"thread {job.thread_key} does not continue at message {job.from_id}")
        return {"summaries": 1}

    async def _rewrite(self, t: Queries, job: Job, result: SummaryResult, now: datetime) -> dict[str, int]:
        key, text = job.key, self._summary_text(job, result)
        number = await summaries.rewrite_chunk(t, key.owner_id, key.chat_id, job.thread_key, job.from_id, text, now)
        for thread in _rolled_up_in(job) if number is not None else ():
            await queue_rolling_rebuild(t, key.owner_id, key.chat_id, thread, now)
        return {"summaries": int(number is not None)}

    async def _enqueue_rolling(self, t: Queries, job: Job, now: datetime) -> None:
        """Queue the rolling summaries of the thread and of the chat. In a chat with one thread, both cover the same
        messages."""
        key = job.key
        for thread in _rolled_up_in(job):
            await queue.enqueue(
                t,
                _following(job, NewJob(key.owner_id, key.chat_id, "thread_summary", thread, thread, *_span(job), now)),
                now,
            )

    async def _rolling(self, t: Queries, job: Job, result: SummaryResult, now: datetime) -> dict[str, int]:
        key = job.key
        cap = self._deps.settings.compaction.thread_cap
        text = self._summary_text(job, result.model_copy(update={"text": clip(result.text, cap)[0]}))
        await summaries.put_rolling(t, key.owner_id, key.chat_id, level_of(job), job.thread_key, text, now)
        return {"summaries": 1}

    def _summary_text(self, job: Job, result: SummaryResult) -> SummaryText:
        text = mask(result.text)
        body = type(result.body).model_validate(
            {name: [mask(line) for line in lines] for name, lines in result.body.model_dump().items()}
        )
        return SummaryText(
            text=text,
            body=body,
            tokens=estimate(text),
            provisional=job.provisional,
            model=job.model or "",
            index_text=index_text(text, None),
            scope=scope_lexemes(job.key.owner_id, job.key.chat_id),
        )

    async def _profile(self, t: Queries, job: Job, result: ProfileResult, now: datetime) -> dict[str, int]:
        owner = job.key.owner_id
        live = [m for m in await memories.live(t, owner, known_everywhere(owner), ("active",)) if not m.note]
        narrative = clip(mask(result.narrative), self._deps.settings.compaction.profile_cap)[0]
        await profile.put(
            t,
            owner,
            narrative,
            lists_of(live),
            job.model or "",
            now,
            provisional=job.provisional,
            queued_at=job.created_at,
        )
        return {"profiles": 1}

    async def _routine(self, t: Queries, job: Job, result: RoutineResult) -> dict[str, int]:
        key = job.key
        await messages.set_routine_summary(t, key.owner_id, key.chat_id, job.from_id, mask(result.summary))
        return {"routine_summaries": 1}


def _following(job: Job, new: NewJob) -> NewJob:
    """Return the new job with the class of the job `job`, which caused it. A job that follows from a past job is a past
    job too."""
    return replace(new, job_class=job.job_class)


def _span(job: Job) -> tuple[int, int]:
    return job.from_id, job.to_id


def _rolled_up_in(job: Job) -> tuple[str, str]:
    """Return the thread keys of the two rolling summaries that cover a chunk: the summary of the chunk's thread and the
    summary of the chat."""
    return job.thread_key, session_thread(job.key.chat_id)


def lists_of(live: Sequence[Memory]) -> profile.Lists:
    """Return the lists of the profile: for each kind of memory, the texts of the memories."""
    return profile.Lists(**{name: [m.content for m in live if m.kind == kind] for name, kind in LISTED})
