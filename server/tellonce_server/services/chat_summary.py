"""The summaries and the state of a chat, for `summarize_chat`, and the start of a new chat."""

from collections.abc import Sequence
from datetime import datetime

from tellonce import contract as c
from tellonce_server.core.scope import ChatScope, session_thread
from tellonce_server.domain.dependencies import Dependencies
from tellonce_server.domain.erasure.redaction import GONE
from tellonce_server.domain.location import thread_of
from tellonce_server.domain.memory.changed_words import marked_texts
from tellonce_server.domain.queue.compaction import compact_thread
from tellonce_server.store import chats, messages, queue, summaries, threads
from tellonce_server.store.messages import Line
from tellonce_server.store.page import cursor_of, position_of
from tellonce_server.store.summaries import Summary
from tellonce_server.store.threads import Thread
from tellonce_text.changes import MessageRange
from tellonce_text.dates.clock import clock_time, local, local_day, period
from tellonce_text.secrets import mask
from tellonce_text.tokens import clip, estimate

PERIODS = 30
"""Maximum chunk summaries on one page. The first page has the newest."""

CURRENT_TOKENS = 120
"""Maximum tokens of the text that describes the current session."""

JOINT = " · "


class ChatSummaries:
    def __init__(self, deps: Dependencies) -> None:
        self._deps = deps

    async def chat_summary(self, scope: ChatScope, args: c.SummarizeChatArgs) -> c.ChatSummary:
        """A page of the chat's summaries, oldest first, and its state. Raises Refused for an invalid cursor."""
        now = self._deps.now()
        queued = await self._compact(scope, now) if args.now else ()
        key = await thread_of(self._deps, scope, args)
        chat = await chats.find(self._deps.database, *scope.key)
        thread = await threads.find(self._deps.database, *scope.key, key)
        open_messages = thread.last_no - thread.covered_to if thread else 0
        after = position_of(args.cursor)
        chunks = await summaries.chunk_page(self._deps.database, *scope.key, *after, PERIODS + 1)
        page = chunks[:PERIODS]
        thread_summary = await summaries.rolling(self._deps.database, *scope.key, "thread", key)
        session = await summaries.rolling(self._deps.database, *scope.key, "session", session_thread(scope.chat_id))
        shown = [(MessageRange(scope.chat_id, x.from_id, x.to_id), x.text) for x in page]
        texts = await marked_texts(self._deps.database, scope.owner_id, shown, scope.chat_id)
        return c.ChatSummary(
            periods=tuple(self._period(x, text) for x, text in zip(page[::-1], texts[::-1], strict=True)),
            thread_summary=thread_summary.text if thread_summary else "",
            session_summary=session.text if session else "",
            current_session=await self._current(scope, key, open_messages, chat.epoch_after if chat else 0),
            canonical=_canonical(chat),
            routines_today=await self._routines(scope, now),
            backlog=await queue.backlog(self._deps.database, *scope.key, now),
            coverage=await self._coverage(scope, thread),
            queued=queued,
            next_cursor=cursor_of(page[-1].from_at, page[-1].id) if len(chunks) > len(page) else None,
        )

    async def start_new_chat(self, scope: ChatScope) -> c.NewChat:
        begun = await chats.new_epoch(self._deps.database, *scope.key, self._deps.now())
        chat = f"memory://chat/{scope.chat_id}"
        self._deps.tell_subscribers(scope.owner_id, f"{chat}/summary", f"{chat}/context")
        epoch, archived = begun if begun is not None else (0, False)
        return c.NewChat(epoch=epoch, archived=archived)

    async def _compact(self, scope: ChatScope, now: datetime) -> tuple[c.JobKind, ...]:
        database, rules = self._deps.database, self._deps.settings.compaction
        queued = 0
        for thread in await threads.of_chat(database, *scope.key):
            queued += await compact_thread(database, scope, thread.thread_key, rules, now, all_due=True)
        if queued:
            self._deps.tell_workers()
        kinds: tuple[c.JobKind, ...] = ("chunk_summary",)
        return kinds * queued

    def _period(self, chunk: Summary, text: str) -> c.Period:
        zone = self._deps.zone
        return c.Period(
            id=chunk.id,
            thread_key=chunk.thread_key,
            period=period(chunk.from_at, chunk.to_at, zone, local_day(self._deps.now(), zone)),
            from_at=chunk.from_at,
            to_at=chunk.to_at,
            count=chunk.count,
            text=text,
            provisional=chunk.provisional,
        )

    async def _current(self, scope: ChatScope, thread_key: str, count: int, epoch_after: int) -> c.CurrentSession:
        """The messages of the current epoch that have no summary yet."""
        newest = await messages.before_in_thread(self._deps.database, *scope.key, thread_key, messages.NEWEST, count)
        lines = [line for line in newest if line.id > epoch_after]
        talk = [line for line in lines if line.routine is None]
        current = await self._marked(scope, talk)
        return c.CurrentSession(count=len(lines), since=talk[0].sent_at if talk else None, text=gist(current))

    async def _marked(self, scope: ChatScope, lines: Sequence[Line]) -> list[Line]:
        shown = [(MessageRange(scope.chat_id, x.id, x.id), x.content) for x in lines]
        texts = await marked_texts(self._deps.database, scope.owner_id, shown, scope.chat_id)
        return [line._replace(content=text) for line, text in zip(lines, texts, strict=True)]

    async def _routines(self, scope: ChatScope, now: datetime) -> tuple[c.RoutineEntry, ...]:
        midnight = local(now, self._deps.zone).replace(hour=0, minute=0, second=0, microsecond=0)
        rows = await messages.routines_since(self._deps.database, *scope.key, midnight)
        return tuple(
            c.RoutineEntry(name=r.name, time=clock_time(r.sent_at, self._deps.zone), summary=mask(r.summary))
            for r in rows
        )

    async def _coverage(self, scope: ChatScope, thread: Thread | None) -> c.Coverage:
        gaps = await threads.gaps(self._deps.database, scope.owner_id)
        gap = sum(abs(g.last_no - g.covered_to - g.open) + abs(g.covered_to - g.covered) for g in gaps)
        if thread is None:
            return c.Coverage(verbatim=0, summarised=0, pending=0, gap=gap)
        queued = thread.queued_to - thread.covered_to
        return c.Coverage(
            verbatim=thread.last_no - thread.queued_to, summarised=thread.covered_to, pending=queued, gap=gap
        )


def _canonical(chat: chats.Chat | None) -> c.CanonicalSummary:
    if chat is None:
        return c.CanonicalSummary(user_confirmed="", llm_inferred="", general_summary="", version=0, tokens=0)
    return c.CanonicalSummary.model_validate(chat, from_attributes=True)


def gist(lines: Sequence[Line]) -> str:
    """The user's newest messages, oldest first, in at most CURRENT_TOKENS tokens, for a session without a summary."""
    said: list[str] = []
    for line in reversed([line for line in lines if line.role == "user" and line.content != GONE]):
        longer = [mask(line.content), *said]
        if said and estimate(JOINT.join(longer)) > CURRENT_TOKENS:
            break
        said = longer
    return clip(JOINT.join(said), CURRENT_TOKENS)[0]
