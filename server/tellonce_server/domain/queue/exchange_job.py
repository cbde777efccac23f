"""Jobs that learn memories from exchanges and update the canonical summary of their chat."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from tellonce.work import Canonical, ExchangeInput, ExchangeResult, KnownMemory, WorkInput
from tellonce_server.domain.dependencies import Dependencies
from tellonce_server.domain.keep.keeper import Keeper
from tellonce_server.domain.memory import extraction_results, literals, retraction
from tellonce_server.domain.memory.extraction_results import is_evidence
from tellonce_server.domain.queue.job_type import JobType, enqueue_following, sender_time, shown
from tellonce_server.domain.retrieval.lexical import any_of, index_text, owner_scope
from tellonce_server.domain.retrieval.question import weight
from tellonce_server.embedding.protocol import vectors_or_none
from tellonce_server.store import chats, memories, messages, profile, queue, retrieval
from tellonce_server.store.codes import ModelVector
from tellonce_server.store.database import Queries
from tellonce_server.store.messages import Line
from tellonce_server.store.queue import Job, NewJob
from tellonce_text.secrets import mask
from tellonce_text.tokens import estimate

OWN_CHARACTERS = 8_000
"""Maximum characters per message of the user in the input of an extraction."""

SIDE_CHARACTERS = 1_800
"""Maximum characters per message of another sender in the input of an extraction."""

EXCHANGE_MESSAGES = 12
"""Maximum number of messages of one extraction. A job with more is split."""

BEFORE = 4


class ExchangeJob(JobType[ExchangeResult]):
    result = ExchangeResult

    def __init__(self, deps: Dependencies, keeper: Keeper) -> None:
        super().__init__(deps)
        self._keeper = keeper

    def changes(self, chat: str) -> tuple[str, ...]:
        return ("memory://profile", f"{chat}/summary")

    async def read(self, job: Job) -> WorkInput | None:
        lines = await self._part(job)
        key = job.key
        said = [line for line in lines if is_evidence(*key.chat, line)]
        if not said:
            return None
        chat = await chats.find(self._deps.database, *key.chat)
        before = await messages.before_in_thread(self._deps.database, *key.chat, job.thread_key, lines[0].id, BEFORE)
        assert chat is not None  # A foreign key ensures that the job's chat exists.
        known = await known_about(self._deps, *key.chat, [mask(line.content) for line in said])
        await queue.show(self._deps.database, *key, job.fence, [m.id for m in known])
        own = {line.id: shown(line, OWN_CHARACTERS) for line in said}
        return ExchangeInput(
            timezone=self._deps.settings.timezone,
            now=sender_time(lines[-1]),
            user_name=await memories.user_name(self._deps.database, *key.chat),
            before=tuple(shown(line, SIDE_CHARACTERS // BEFORE) for line in before),
            messages=tuple(own.get(line.id) or shown(line, SIDE_CHARACTERS) for line in lines if line.routine is None),
            known=known,
            notable=tuple(
                await self._keeper.notable(
                    tuple(own.values()), [m.text for m in known if m.note and m.status != "rejected"]
                )
            ),
            canonical=chat.canonical,
            canonical_cap_tokens=self._deps.settings.compaction.canonical_cap,
        )

    async def _part(self, job: Job) -> list[Line]:
        """The messages for one call. If there are too many, a new job reads the rest. The rest of a live job are the
        later messages. The rest of a past job are the earlier messages, because past messages are read newest first."""
        read = messages.id_range if not job.past else messages.last_of_range
        key = job.key
        lines = await read(
            self._deps.database, *(*key.chat, job.thread_key, job.from_id, job.to_id, EXCHANGE_MESSAGES + 1)
        )
        if len(lines) <= EXCHANGE_MESSAGES:
            return lines
        lines = lines[-EXCHANGE_MESSAGES:] if job.past else lines[:EXCHANGE_MESSAGES]
        await self._split(job, lines)
        return lines

    async def _split(self, job: Job, lines: Sequence[Line]) -> None:
        first, last = lines[0].id, lines[-1].id
        rest = (job.from_id, first - 1) if job.past else (last + 1, job.to_id)
        mine = (first, job.to_id) if job.past else (job.from_id, last)
        exchanges = min(job.exchanges, len(lines) // 2)
        key, now = job.key, self._deps.now()
        new = NewJob(
            *(*key.chat, job.kind, job.thread_key, job.dedup_key, *rest, now),
            *(max(0, job.exchanges - exchanges), job.traceparent, job.job_class),
        )
        async with self._deps.database.transaction() as t:
            await chats.lock(t, *key.chat)
            await queue.narrow(t, *key, job.fence, *mine, exchanges)
            await queue.enqueue(t, new, now)

    async def prepare(self, owner_id: int, result: ExchangeResult) -> None:
        await extraction_results.prepare(self._deps, owner_id, result)

    async def apply(self, t: Queries, job: Job, result: ExchangeResult, now: datetime) -> dict[str, int]:
        learned = await extraction_results.learn(self._deps, t, job, result, now)
        # The canonical summary can already contain later exchanges. The result of a past job is then too old for this
        # summary.
        if not job.past or await queue.carries_canonical(t, *job.key):
            await self._canonical(t, job, learned.canonical, now)
        struck = await retraction.strike(self._deps.embedder, t, job.key.owner_id, learned.ended, now)
        seen = await profile.count_exchange(t, job.key.owner_id)
        due = seen.first or seen.exchanges_since >= self._deps.settings.compaction.profile_exchanges
        if struck or seen.wrong or (seen.stale and due):
            await enqueue_following(t, job, "profile", job.thread_key, "profile", now)
        return dict(learned.counts)

    async def _canonical(self, t: Queries, job: Job, text: Canonical, now: datetime) -> None:
        masked = Canonical(**{name: mask(value) for name, value in text.model_dump().items()})
        tokens = estimate("\n".join(masked.model_dump().values()))
        await chats.set_canonical(t, job, masked, tokens, now)


MOST_KNOWN: Final = 40
"""Maximum known memories in the input of an extraction. The worker says which of them the exchange changes, ends or
repeats."""

KNOWN_BY_WORDS: Final = 16
"""Maximum number of memories of each kind: found by words, pinned, and just learned. Twice as many are found by
similarity."""

MOST_DENIED: Final = 4
"""Maximum number of statements that the user rejected."""

JUST_LEARNED: Final = timedelta(minutes=10)

COMPARED_MESSAGES: Final = 4
"""Maximum number of the exchange's messages that are compared by meaning. The longest are chosen."""

SEARCHED_WORDS: Final = 6
"""Maximum number of words that are searched for. The rarest are chosen. Common words would match every memory."""

COMPARED_CHARACTERS: Final = 600


async def known_about(deps: Dependencies, owner_id: int, chat_id: int, texts: Sequence[str]) -> tuple[KnownMemory, ...]:
    """Up to 40 memories: those similar to the messages in meaning or words, pinned ones, those learned in the last ten
    minutes, and similar ones that the user rejected. The owner's newest memories fill the rest."""
    asked = sorted((text[:COMPARED_CHARACTERS] for text in texts if text.strip()), key=len, reverse=True)[
        :COMPARED_MESSAGES
    ]
    model, vectors = deps.embedder.model, await vectors_or_none(deps.embedder, asked)
    lexemes = any_of(await _rarest_terms(deps, " ".join(asked)))
    given = [ModelVector(vector, model) for vector in vectors or ()]
    scope, since = owner_scope(owner_id), deps.now() - JUST_LEARNED
    found = await memories.known_for(
        deps.database, owner_id, chat_id, given, lexemes, scope, KNOWN_BY_WORDS, MOST_KNOWN, since, MOST_DENIED
    )
    return tuple(found)


async def _rarest_terms(deps: Dependencies, text: str) -> list[str]:
    """The lexemes to search for: numbers first, then the longest words. Longer words count as rarer, because there are
    no word statistics."""
    lexemes = await retrieval.query_lexemes(deps.database, index_text(text, None))
    numbers = literals.said_numbers(text)
    return sorted(lexemes, key=lambda x: (x not in numbers, -weight(x, {})))[:SEARCHED_WORDS]
