"""Turns the items that a worker learned from an exchange into memories. An item is a statement with its quotes. Every
item is checked. Forgotten and rejected items are dropped."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from tellonce.contract import Memory, MemoryStatus
from tellonce.reasons import reason
from tellonce.work import TIERS, Canonical, ExchangeItem, ExchangeResult, Tier
from tellonce_server.core.limits import offloaded
from tellonce_server.core.scope import ChatScope
from tellonce_server.domain.dependencies import Dependencies
from tellonce_server.domain.memory import check as checks
from tellonce_server.domain.memory import dedup, literals, retraction, statements
from tellonce_server.domain.memory.statements import CERTAIN, UNCERTAIN, Stored
from tellonce_server.embedding.protocol import vector_or_none
from tellonce_server.store import chats, memories, messages, queue, tombstones
from tellonce_server.store.database import Queries
from tellonce_server.store.memories import Intent, NewMemory, Quoted
from tellonce_server.store.messages import Line, StoredMessage
from tellonce_server.store.queue import Job
from tellonce_server.store.tombstones import Tombstone
from tellonce_text.own_words import own_words
from tellonce_text.secrets import mask

PRIORITY = 3
MOST_LINES = 500
BEFORE = 4
REJECTED = 8

SAME_SUBJECT = 0.5
"""Notes with a higher cosine are about the same subject. A context that shows the earlier one also shows the later one,
which may contradict it."""

WISHES_HOLD = timedelta(days=30)
"""Time after which a goal without a date ends. It is used for goals from past messages, such as imported ones."""


@dataclass
class Learned:
    """The outcome of an exchange's items. `ended` are memories, each with the statement that ended it. `borne_out` are
    the ids of the added or confirmed memories. `canonical` is the chat's new summary."""

    canonical: Canonical
    counts: Counter[str] = field(default_factory=Counter[str])
    dropped: Counter[str] = field(default_factory=Counter[str])
    ended: list[tuple[Memory, str]] = field(default_factory=list[tuple[Memory, str]])
    borne_out: set[int] = field(default_factory=set[int])


@dataclass(frozen=True)
class _Judged:
    """An item that may be stored. `reason` says why it is uncertain."""

    item: ExchangeItem
    text: str
    sources: Sequence[Line]
    reason: str | None

    @property
    def certain(self) -> bool:
        return self.reason is None

    @property
    def said_at(self) -> datetime:
        return max(line.sent_at for line in self.sources)


async def prepare(deps: Dependencies, owner_id: int, result: ExchangeResult) -> None:
    """Embed the texts that may be stored, before the transaction begins. The embedder caches the vectors."""
    for item in result.items:
        await vector_or_none(deps.embedder, _masked(item))
    over = [number for item in result.items for number in (*item.replaces, *item.ends)]
    summary = [part for part in result.canonical.model_dump().values() if part]
    await retraction.warm(deps.embedder, deps.database, owner_id, over, summary)


async def learn(deps: Dependencies, t: Queries, job: Job, result: ExchangeResult, now: datetime) -> Learned:
    """Store the items that pass the checks. Memories that lower tiers learned from the same messages end, unless an
    item confirms them."""
    await statements.lock(t, job.key.owner_id, [_masked(item) for item in result.items])
    exchange = await _exchange(deps, t, job, now)
    learned = Learned(await exchange.attributed(result.canonical))
    for item in result.items:
        await exchange.learn(item, learned)
    await exchange.take_back(learned)
    for why, items in learned.dropped.items():
        await queue.count_dropped(t, job.key.owner_id, now.date(), why, items)
    return learned


async def _exchange(deps: Dependencies, t: Queries, job: Job, now: datetime) -> "_Exchange":
    place, tier = job.key.chat, job.tier or "keep"
    owner = job.key.owner_id
    lines = await messages.id_range(t, *place, job.thread_key, job.from_id, job.to_id, MOST_LINES)
    around = [*await messages.before_in_thread(t, *place, job.thread_key, job.from_id, BEFORE), *lines]
    own = frozenset(line.id for line in lines if is_evidence(*place, line))
    names = (await memories.user_name(t, *place), *(line.speaker for line in around))
    return _Exchange(
        deps=deps,
        t=t,
        job=job,
        tier=tier,
        lines={line.id: line for line in lines},
        own=own,
        around=[line.content for line in around],
        people=list(dict.fromkeys(filter(None, names))),
        known={m.id: m for m in await memories.by_ids(t, owner, list(job.known_ids))},
        old=frozenset(m.id for m in await memories.read_by(t, *place, sorted(own), TIERS[TIERS.index(tier) + 1 :])),
        tombstones=await tombstones.standing(t, owner),
        done=await memories.ended(t, *place, sorted(own)),
        now=now,
    )


@dataclass(frozen=True)
class _Exchange:
    """The data for storing an exchange's items. `own` are the messages with the user's words. `old` are the memories
    that lower tiers learned from them. `people` are the names of the user and of the writers."""

    deps: Dependencies
    t: Queries
    job: Job
    tier: Tier
    lines: Mapping[int, Line]
    own: frozenset[int]
    around: Sequence[str]
    people: Sequence[str]
    known: Mapping[int, Memory]
    old: frozenset[int]
    tombstones: Sequence[Tombstone]
    done: Sequence[memories.Ended]
    now: datetime

    @property
    def held(self) -> list[str]:
        """The texts of the known memories that the user has not rejected."""
        return [m.content for m in self.known.values() if m.status != "rejected"]

    @property
    def shared(self) -> bool:
        return ChatScope(*self.job.key.chat).shared

    async def attributed(self, summary: Canonical) -> Canonical:
        """The summary, with unsupported new lines of `user_confirmed` moved to `llm_inferred`."""
        chat = await chats.find(self.t, *self.job.key.chat)
        prior = chat.canonical.user_confirmed if chat is not None else ""
        lines, old = summary.user_confirmed.splitlines(), prior.splitlines()
        new = [line for line in lines if line.strip() and line not in old]
        if not new:
            return summary
        said = [self._quoted(number, mask(own_words(self.lines[number].content))) for number in sorted(self.own)]
        said.append(checks.Quoted(prior, prior, "user", self.now, self.deps.zone))
        size = sum(len(quoted.message) for quoted in said)
        inferred = await offloaded(size, lambda: checks.unsupported(new, said, known=self.held))
        kept = "\n".join(line for line in lines if line not in inferred)
        more = "\n".join(filter(None, (summary.llm_inferred, *inferred)))
        return summary.model_copy(update={"user_confirmed": kept, "llm_inferred": more})

    async def learn(self, item: ExchangeItem, learned: Learned) -> None:
        judged = await self._judged(item)
        if isinstance(judged, str):
            learned.dropped[judged] += 1
            learned.counts["dropped"] += 1
            return
        stored = await self._store(judged)
        if item.note and stored.outcome == "stored":
            await memories.show_later_notes(self.t, self.job.key.owner_id, stored.memory.id, SAME_SUBJECT, self.now)
        learned.counts[_COUNTED[stored.outcome]] += 1
        learned.borne_out.add(stored.memory.id)
        learned.ended += [(old, stored.memory.content) for old in stored.ended]

    async def take_back(self, learned: Learned) -> None:
        """End the memories that lower tiers learned from these messages, unless this result confirms them."""
        owner = self.job.key.owner_id
        former = await memories.by_ids(self.t, owner, sorted(self.old - learned.borne_out))
        if ended := await statements.take_back(self.t, owner, former, self.tier, self.now):
            learned.counts["taken_back"] = ended

    async def _judged(self, item: ExchangeItem) -> "_Judged | str":
        """The item, or the reason for dropping it."""
        text = _masked(item)
        if not statements.worth_showing(text):
            return "states nothing"
        verdict = self._checked(item)
        if not verdict.has_true_quote:
            return "no true quote"
        sources = [self.lines[i] for i in dict.fromkeys(q.message_id for q in item.quotes) if i in self.own]
        judged = _Judged(item, text, sources, self._doubt(item, verdict))
        if any(s.created_at >= judged.said_at for s in self.deps.tombstones.covering(self.tombstones, text)):
            return "forgotten"
        since = (end for end in self.done if end.at is None or end.at >= judged.said_at)
        ended = [end for end in since if dedup.is_restated(text, end.content) or (item.note and _orders(text, end))]
        if any(end.rejected for end in ended) or await self._is_denied(judged):
            return "rejected before"
        return "set or ended since" if ended else judged

    def _checked(self, item: ExchangeItem) -> checks.Verdict:
        if item.note:  # a note must be a sentence that the user wrote
            said = [own_words(self.lines[q.message_id].content) for q in item.quotes if q.message_id in self.own]
            true = any(checks.contains_quote(mask(text), item.text) for text in said)
            return checks.Verdict(true, (), true)
        return checks.check(
            item.text,
            [self._quoted(quote.message_id, quote.text) for quote in item.quotes if quote.message_id in self.lines],
            shown=self.around,
            known=[*self.held, *self.people],
            when=item.when,
            deadline=item.deadline,
            about=item.about,
            is_read_again=True,
        )

    def _quoted(self, message_id: int, text: str) -> checks.Quoted:
        line = self.lines[message_id]
        role = "user" if message_id in self.own else "assistant"
        return checks.Quoted(own_words(text), mask(own_words(line.content)), role, line.sent_at, self.deps.zone)

    def _doubt(self, item: ExchangeItem, verdict: checks.Verdict) -> str | None:
        """Why the item is uncertain: a check failed, the model is unsure, or it refers to a memory that the model did
        not see."""
        referred = (*item.replaces, *item.ends, *([item.same_as] if item.same_as else []))
        reasons = [*verdict.reasons, *(reason("unknown_memory", id=i) for i in referred if i not in self.known)]
        if not item.certain:
            reasons.append(item.doubt or reason("unsure"))
        return " ".join(reasons)[:1000] or None

    async def _is_denied(self, judged: "_Judged") -> bool:
        """Whether the user rejected this statement and has not made it again since."""
        named = self.known.get(judged.item.same_as or 0)
        if judged.item.note:
            return False
        if named is not None and _is_still_denied(named, judged):
            return True
        vector = await vector_or_none(self.deps.embedder, judged.text)
        near = await memories.rejected_near(self.t, *self.job.key.chat, vector, dedup.key(judged.text), REJECTED)
        sources = {line.id for line in judged.sources}
        return any(
            dedup.is_denied(
                judged.text,
                n.memory.content,
                n.cosine,
                same_source=not sources.isdisjoint(n.memory.sources),
                certain=judged.certain,
            )
            for n in near
            if _is_still_denied(n.memory, judged)
        )

    async def _store(self, judged: "_Judged") -> Stored:
        t, item, now = self.t, judged.item, self.now
        repeated = self.deps.tombstones.covering(self.tombstones, judged.text)
        await tombstones.lift(t, self.job.key.owner_id, repeated, now)
        new = self._statement(judged)
        vector = await vector_or_none(self.deps.embedder, new.content)
        again = self.known.get(item.same_as or 0)
        if again is not None and again.valid_to is None and not _is_unchecked(again, judged):
            return Stored(await statements.support(t, again, new, now), "duplicate")
        replaced, ended = self._targets(item.replaces), self._targets(item.ends)
        if again is not None and again.valid_to is None:
            replaced = [again, *(m for m in replaced if m.id != again.id)]
        if judged.certain and (replaced or ended):
            return await statements.put(t, new, vector, now, replaced=replaced, ended=ended)
        return await statements.store(t, new, vector, now, besides=self.old)

    def _statement(self, judged: "_Judged") -> NewMemory:
        item, key = judged.item, self.job.key
        over = self._over_already(judged)
        status: MemoryStatus = "completed" if over is not None else "active" if judged.certain else "uncertain"
        replaces, ends = (tuple(m.id for m in self._targets(ids)) for ids in (item.replaces, item.ends))
        return memories.like(
            item,
            owner_id=key.owner_id,
            chat_id=None if item.scope == "global" and not self.shared else key.chat_id,
            source_chat_id=key.chat_id,
            status=status,
            content=judged.text,
            confidence=CERTAIN if judged.certain else UNCERTAIN,
            priority=PRIORITY,
            pinned=item.pin and judged.certain,
            valid_from=judged.said_at,
            origin="extracted",
            user_confirmed=False,
            source_ids=tuple(line.id for line in judged.sources),
            model=self.job.model,
            quotes=tuple(Quoted(q.message_id, mask(q.text)) for q in item.quotes if q.message_id in self.own),
            about=self._about(judged),
            reason=judged.reason if over is None else reason("over_before"),
            provisional=self.job.provisional,
            tier=self.tier,
            intends=Intent(replaces, ends) if not judged.certain else None,
            valid_to=over,
            user_name=self._user_name(judged),
            categories=tuple(mask(name) for name in item.categories) or None,
        )

    def _targets(self, numbers: Sequence[int]) -> list[Memory]:
        """The memories with these numbers that have not ended and were in the model's input."""
        shown = (self.known[i] for i in dict.fromkeys(numbers) if i in self.known)
        return [m for m in shown if m.valid_to is None]

    def _about(self, judged: "_Judged") -> str:
        """Whom the statement describes. In a shared group, `user` means the author of the message."""
        speaker = judged.sources[0].speaker
        return speaker if judged.item.about == "user" and self.shared and speaker else judged.item.about

    def _user_name(self, judged: "_Judged") -> str | None:
        """The user's name, if both the statement and the user's own words contain it."""
        name = judged.item.user_name
        if name is None or not judged.certain or self.shared or not literals.phrase(name).strip():
            return None
        said = " ".join(quote.text for quote in judged.item.quotes if quote.message_id in self.own)
        stated = all(literals.phrase(name) in literals.phrase(text) for text in (judged.text, said))
        return name if stated else None

    def _over_already(self, judged: "_Judged") -> datetime | None:
        """When a goal from past messages ended: at its deadline, or WISHES_HOLD after its message. None if it has not
        ended."""
        item = judged.item
        if item.kind != "goal" or item.note or not self.job.past:
            return None
        due = item.deadline or (item.when.end if item.when else None)
        if due is not None:
            return max(due, judged.said_at) if due < self.now else None
        lapsed = judged.said_at + WISHES_HOLD
        return lapsed if lapsed < self.job.created_at else None


_COUNTED = {"stored": "memories", "duplicate": "duplicates", "superseded": "superseded"}


def is_evidence(owner_id: int, chat_id: int, line: Line | StoredMessage) -> bool:
    """Whether memories are learned from the message. In a private chat, these are the user's own messages. A shared
    group has memories about all of its members."""
    return line.role == "user" and (line.speaker is None or ChatScope(owner_id, chat_id).shared)


def _masked(item: ExchangeItem) -> str:
    return mask(item.text.strip())


def _is_still_denied(m: Memory, judged: _Judged) -> bool:
    """Whether the user's rejection of the memory still holds. A certain item that was said later ends it."""
    denied = m.status == "rejected" and m.user_confirmed
    return denied and not (judged.certain and dedup.is_later(judged.said_at, m.valid_to))


def _is_unchecked(m: Memory, judged: _Judged) -> bool:
    """Whether the item replaces the memory that it repeats, instead of adding its sources. It replaces a note that the
    user has not confirmed. A certain item also replaces an uncertain memory that says the same in other words. Only the
    item's own words were checked."""
    if m.status == "uncertain" and judged.certain:
        return not dedup.same(m.content, judged.text)
    return m.note and not m.user_confirmed


def _orders(text: str, end: memories.Ended) -> bool:
    """Whether a sentence of the user is the request for this reminder. A reminder's content is the words of the request
    and a time in parentheses."""
    return end.at is None and checks.contains_quote(text, end.content.rpartition(" (")[0])
