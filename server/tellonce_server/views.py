"""What a person looks at: the profile, a chat's summaries, and starting a chat anew."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from tellonce.contract import (
    Backlog,
    CanonicalSummary,
    ChatSummary,
    Conversation,
    Coverage,
    CurrentSession,
    JobKind,
    Memory,
    MemoryKind,
    NewChat,
    Period,
    Profile,
    RoutineEntry,
    SummarizeChatArgs,
)
from tellonce_server.context.memory_order import worth_showing
from tellonce_server.dates.clock import clock_time, local, period
from tellonce_server.locating import lane_of
from tellonce_server.places import Where, session_lane
from tellonce_server.queue.compacting import compact_lane
from tellonce_server.services import Kit
from tellonce_server.store import chats, lanes, memories, messages, profile, queue, summaries
from tellonce_server.store.lanes import Lane
from tellonce_server.store.messages import Line
from tellonce_server.store.summaries import Summary
from tellonce_server.text.secrets import mask
from tellonce_server.text.tokens import clip, estimate

CURRENT_TOKENS = 120
"""Tokens of the current session's gist."""

JOINT = " · "


class Viewer:
    def __init__(self, kit: Kit) -> None:
        self._kit = kit

    async def profile(self, where: Where) -> Profile:
        """All that is known of the chat's owner and may be seen in this chat."""
        stored = await profile.find(self._kit.database, where.owner_id)
        live = await memories.live(self._kit.database, where.owner_id, where.chat_id, ("active", "uncertain"))
        counts = await chats.counts(self._kit.database, where.owner_id, where.chat_id)
        return Profile(
            narrative=stored.narrative if stored else "",
            facts=_of(live, "fact", "outcome"),
            preferences=_of(live, "preference"),
            goals=_of(live, "goal"),
            dates=_of(live, "date"),
            pins=tuple(m for m in live if m.status == "active" and (m.pinned or m.kind == "pin")),
            uncertain=tuple(m for m in live if m.status == "uncertain"),
            conversation=Conversation(messages=counts.messages, summaries=counts.summaries, verbatim=counts.verbatim),
            version=stored.version if stored else 0,
        )

    async def chat_summary(self, where: Where, args: SummarizeChatArgs) -> ChatSummary:
        now = self._kit.now()
        queued = await self._compact(where, now) if args.now else ()
        key = await lane_of(self._kit.database, where, args)
        lane = await lanes.find(self._kit.database, where.owner_id, where.chat_id, key)
        chunks = await summaries.chunks(self._kit.database, where.owner_id, where.chat_id)
        thread = await summaries.rolling(self._kit.database, where.owner_id, where.chat_id, "thread", key)
        session = await summaries.rolling(
            self._kit.database, where.owner_id, where.chat_id, "session", session_lane(where.chat_id)
        )
        return ChatSummary(
            periods=tuple(self._period(chunk) for chunk in chunks),
            thread_summary=thread.text if thread else "",
            session_summary=session.text if session else "",
            current_session=await self._current(where, key, _open(lane)),
            canonical=await self._canonical(where),
            routines_today=await self._routines(where, now),
            backlog=await self._backlog(where, now),
            coverage=await self._coverage(where, lane),
            queued=queued,
        )

    async def start_new_chat(self, where: Where) -> NewChat:
        begun = await chats.new_epoch(self._kit.database, where.owner_id, where.chat_id, self._kit.now())
        self._kit.tell_subscribers(where.owner_id, f"memory://chat/{where.chat_id}/summary")
        epoch, archived = begun if begun is not None else (0, False)
        return NewChat(epoch=epoch, archived=archived)

    async def _compact(self, where: Where, now: datetime) -> tuple[JobKind, ...]:
        database, rules = self._kit.database, self._kit.settings.compaction
        queued = 0
        for lane in await lanes.of_chat(database, where.owner_id, where.chat_id):
            queued += await compact_lane(database, where, lane.thread_key, rules, now, all_due=True)
        if queued:
            self._kit.tell_workers()
        kinds: tuple[JobKind, ...] = ("chunk_summary",)
        return kinds * queued

    def _period(self, chunk: Summary) -> Period:
        return Period(
            id=chunk.id,
            thread_key=chunk.thread_key,
            period=period(chunk.from_at, chunk.to_at, self._kit.zone),
            from_at=chunk.from_at,
            to_at=chunk.to_at,
            count=chunk.count,
            text=chunk.text,
            provisional=chunk.provisional,
        )

    async def _current(self, where: Where, lane_key: str, count: int) -> CurrentSession:
        newest = await messages.before_in_lane(
            self._kit.database, where.owner_id, where.chat_id, lane_key, messages.NEWEST, count
        )
        talk = [line for line in newest if line.routine is None]
        return CurrentSession(count=count, since=talk[0].sent_at if talk else None, text=gist(talk))

    async def _canonical(self, where: Where) -> CanonicalSummary:
        chat = await chats.find(self._kit.database, where.owner_id, where.chat_id)
        if chat is None:
            return CanonicalSummary(user_confirmed="", llm_inferred="", general_summary="", version=0, tokens=0)
        return CanonicalSummary(
            user_confirmed=chat.user_confirmed,
            llm_inferred=chat.llm_inferred,
            general_summary=chat.general_summary,
            version=chat.version,
            tokens=chat.tokens,
        )

    async def _routines(self, where: Where, now: datetime) -> tuple[RoutineEntry, ...]:
        midnight = local(now, self._kit.zone).replace(hour=0, minute=0, second=0, microsecond=0)
        rows = await messages.routines_since(self._kit.database, where.owner_id, where.chat_id, midnight)
        return tuple(
            RoutineEntry(name=r.name, time=clock_time(r.sent_at, self._kit.zone), summary=mask(r.summary)) for r in rows
        )

    async def _backlog(self, where: Where, now: datetime) -> Backlog:
        b = await queue.backlog(self._kit.database, where.owner_id, where.chat_id, now)
        seconds = max(timedelta(), now - b.oldest).total_seconds() if b.oldest else None
        return Backlog(waiting=b.waiting, in_work=b.in_work, dead=b.dead, oldest_seconds=seconds)

    async def _coverage(self, where: Where, lane: Lane | None) -> Coverage:
        gaps = await lanes.gaps(self._kit.database, where.owner_id)
        gap = sum(abs(g.last_no - g.covered_to - g.open) + abs(g.covered_to - g.covered) for g in gaps)
        if lane is None:
            return Coverage(verbatim=0, summarised=0, pending=0, gap=gap)
        queued = lane.queued_to - lane.covered_to
        return Coverage(verbatim=lane.last_no - lane.queued_to, summarised=lane.covered_to, pending=queued, gap=gap)


def _of(live: list[Memory], *kinds: MemoryKind) -> tuple[Memory, ...]:
    return tuple(m for m in live if m.kind in kinds and m.status == "active" and worth_showing(m.content))


def _open(lane: Lane | None) -> int:
    return lane.last_no - lane.covered_to if lane else 0


def gist(lines: Sequence[Line]) -> str:
    """The user's newest words that fit, oldest of them first: the current session is too young for a summary."""
    said: list[str] = []
    for line in reversed([line for line in lines if line.role == "user"]):
        longer = [mask(line.content), *said]
        if said and estimate(JOINT.join(longer)) > CURRENT_TOKENS:
            break
        said = longer
    return clip(JOINT.join(said), CURRENT_TOKENS)[0]
