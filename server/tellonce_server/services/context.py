"""Reads the material of a context, assembles it, and stores its receipt."""

import asyncio
import secrets
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property

from tellonce import contract as c
from tellonce.plural import quantity
from tellonce.server_text import ServerText
from tellonce_server.core.limits import offloaded
from tellonce_server.core.scope import ChatScope, session_id
from tellonce_server.domain.context.assembly import Assembled, assemble
from tellonce_server.domain.context.budget import log_share
from tellonce_server.domain.context.history import STEP
from tellonce_server.domain.context.lines import chat_name, is_whole
from tellonce_server.domain.context.material import Material
from tellonce_server.domain.dependencies import Dependencies
from tellonce_server.domain.location import thread_of
from tellonce_server.domain.retrieval.excerpt import excerpts_of
from tellonce_server.domain.retrieval.prompt_selection import choose
from tellonce_server.domain.retrieval.question import asks
from tellonce_server.domain.retrieval.search import Retriever
from tellonce_server.domain.retrieval.search_results import Result, SearchRequest, requested
from tellonce_server.store import chats, memories, messages
from tellonce_server.store import context as rows_of
from tellonce_server.store.context import ContextRows, Limits, LogRows
from tellonce_server.store.messages import Line, StoredMessage
from tellonce_server.store.receipts import Receipt, ReceiptKeeper
from tellonce_text.changes import Changes, MessageRange

MOST_MESSAGES = 400
"""Maximum messages in a window. Only a window without a running summarizer reaches it."""

CHUNKS = 40
LOGGED, LOGGED_CHUNKS = 2_000, 400
"""Maximum memories and chunk summaries that are read for a log. No budget has room for more."""

MOST_UNREAD = 100
"""Maximum unread exchanges that are counted. `context.sql` has the same limit."""

NEIGHBOURS = 2


def _characters(rows: ContextRows) -> int:
    """An estimate of the characters to process. A text that appears in several turns is processed once."""
    newest = rows.window[-1:]
    longest = max((len(line.content) for line in rows.window), default=0)
    return max(longest, sum(len(line.content) for line in newest), len(rows.quoted.content) if rows.quoted else 0)


class ContextReader:
    def __init__(self, deps: Dependencies, retriever: Retriever, receipts: ReceiptKeeper) -> None:
        self._deps = deps
        self._retriever = retriever
        self._receipts = receipts

    async def context(self, scope: ChatScope, args: c.GetContextArgs, *, learns: bool = False) -> c.Context:
        """Build one context and its receipt. If `learns` is true, the caller can learn from exchanges itself. The
        result then says how many exchanges no model has read."""
        started = time.perf_counter()
        thread, now = await thread_of(self._deps, scope, args), self._deps.now()
        request = _Request(self._deps, self._retriever, scope, args, thread, now)
        material = await request.material()
        rows = request.rows
        built = await offloaded(_characters(rows), lambda: assemble(material))
        receipt = request.receipt(built)
        await self._receipts.keep(receipt, rows.erasures)
        self._deps.emit(
            "context_built",
            ms=round((time.perf_counter() - started) * 1000, 2),
            tokens=built.tokens,
            truncated=built.truncated,
            receipt=receipt.id,
        )
        by_section = args.detail == "sections"
        return c.Context(
            context=None if by_section else built.text,
            sections=tuple(built.sections) if by_section else None,
            tokens=built.tokens,
            token_budget=args.token_budget,
            truncated=built.truncated,
            thread_key=thread,
            session_id=session_id(scope.home, scope.chat_id),
            focus=built.focus,
            notices=(*built.notices, *_unread(rows.unread if learns else 0), *self._deps.notices),
            coverage=built.coverage,
            receipt_id=receipt.id,
        )


@dataclass
class _Request:
    """One call of `get_context`, and what was read for it."""

    deps: Dependencies
    retriever: Retriever
    scope: ChatScope
    args: c.GetContextArgs
    thread_key: str
    asked_at: datetime
    rows: ContextRows = field(init=False)
    _chosen: Sequence[Result] = field(init=False)
    _answered: Line | StoredMessage | None = field(init=False)

    @property
    def _moment(self) -> datetime:
        """The context shows the memory as it was at this time."""
        return self.args.as_of or self.asked_at

    async def material(self) -> Material:
        """Read the rows and the search results."""
        self.rows, recalled, log = await asyncio.gather(self._read_rows(), self._recalled(), self._log())
        self._chosen = await self._choose(recalled)
        self._answered = await self._message_answered()
        if self._answered is not None:
            await self._leave_out_later(self._answered)
        around, results, changes, names = await asyncio.gather(
            self._around(), self._results(), self._changes(), self._names()
        )
        settings, args = self.deps.settings, self.args
        return Material(
            rows=self.rows,
            results=results,
            around=around,
            excluded=self._number_answered(),
            query=args.query,
            thread_key=self.thread_key,
            now=self._moment,
            zone=self.deps.zone,
            total=args.token_budget,
            budgets=settings.budgets,
            canonical_cap=settings.compaction.canonical_cap,
            log=log,
            include=frozenset(args.include) if args.include is not None else None,
            keep=settings.compaction.keep,
            # If `include` is given, the client itself adds the time to its prompt (docs/CONTRACT.md, section 4).
            clock=args.detail == "text" and args.include is None,
            chat_id=self.scope.chat_id,
            changes=changes,
            names=names,
        )

    def receipt(self, built: Assembled) -> Receipt:
        return Receipt(
            owner_id=self.scope.owner_id,
            chat_id=self.scope.chat_id,
            id=f"r{secrets.token_hex(8)}",
            thread_key=self.thread_key,
            message_id=self._number_answered(),
            token_budget=self.args.token_budget,
            tokens=built.tokens,
            truncated=built.truncated,
            as_of=self.args.as_of,
            sections=[section.model_dump(mode="json") for section in built.sections],
            included=built.included,
            left_out=built.left_out,
            created_at=self.asked_at,
        )

    def _wants(self, section: c.SectionName) -> bool:
        return self.args.include is None or section in self.args.include

    async def _read_rows(self) -> ContextRows:
        """In a shared group, the context shows nothing from other threads."""
        defaults, rules = self.deps.settings.context, self.deps.settings.compaction
        limits = Limits(rules.keep + STEP, defaults.facts, defaults.goals, CHUNKS, MOST_MESSAGES)
        elsewhere = not self.scope.shared and self._wants("elsewhere")
        place = (self.scope, self.thread_key, self.args, self.asked_at)
        return await rows_of.read(self.deps.database, *place, limits, elsewhere=elsewhere)

    async def _log(self) -> LogRows:
        """Empty for a small budget, a past time, or a caller that wants other sections only."""
        if not log_share(self.args.token_budget) or self.args.as_of or not self._wants("log"):
            return LogRows()
        place = (*self.scope.key, self.thread_key)
        return await rows_of.read_log(self.deps.database, *place, memories=LOGGED, chunks=LOGGED_CHUNKS)

    @cached_property
    def _search(self) -> SearchRequest | None:
        args, place = self.args, {"thread_key": self.thread_key, "now": self._moment, "zone": self.deps.zone}
        asks_something = self._wants("relevant") and args.query and args.query.strip()
        return requested(args, self.scope, **place) if asks_something else None

    async def _recalled(self) -> list[Result]:
        return await self.retriever.recalled(self._search) if self._search is not None else []

    async def _choose(self, recalled: Sequence[Result]) -> Sequence[Result]:
        """The results for the prompt, from other chats too if this chat does not answer the question."""
        if self._search is None:
            return []
        query, shown = self._search.query, frozenset(line.id for line in self.rows.window if is_whole(line))
        own = choose(recalled, query, self.thread_key, shown, self.deps.settings.context)
        if not self.rows.has_others or not asks(query):
            return own
        return await self.retriever.with_other_chats(self._search, own)

    async def _leave_out_later(self, asked: Line | StoredMessage) -> None:
        """Leave out what is newer than the answered message, except answers to earlier messages."""
        rows, place = self.rows, (self.scope.chat_id, asked.id, asked.sent_at)
        self._chosen = [f for f in self._chosen if f.kind != "message" or _is_earlier(f, *place)]
        if not rows.window or rows.window[-1].id <= asked.id:
            return
        answers = await rows_of.answers_to_earlier(self.deps.database, self.scope, self.thread_key, asked.id)
        window = [line for line in rows.window if line.id <= asked.id or line.id in answers]
        latest = max((line.id for line in window if line.role == "assistant"), default=None)
        thread = rows.thread
        if latest != thread.focus_id:
            thread = replace(thread, focus_id=latest, slot=None, slot_until=None)
        self.rows = replace(rows, window=window, thread=thread)

    async def _changes(self) -> Changes:
        """The changed statements of the messages that the context can show. A past context shows no later changes."""
        if self.args.as_of is not None:
            return {}
        chat = self.scope.chat_id
        places = [*_places(chat, self.rows), *(f.place for f in self._chosen if f.place is not None)]
        return await memories.changes(self.deps.database, self.scope.owner_id, places, chat)

    async def _names(self) -> dict[int, str]:
        wanted = {f.chat_id for f in self._chosen if f.kind == "message" and f.chat_id != self.scope.chat_id}
        found = [await chats.find(self.deps.database, self.scope.owner_id, chat) for chat in wanted if chat is not None]
        return {chat.chat_id: chat_name(chat.channel, chat.conversation) for chat in found if chat is not None}

    async def _results(self) -> list[Result]:
        if self._search is None:
            return []
        return await self.retriever.with_texts(self._search, self._chosen, excerpts_of(self.args.token_budget))

    async def _around(self) -> list[Line]:
        """The messages around the quoted message, if the thread is a new reply thread."""
        rows, answered = self.rows, self._answered
        if rows.quoted is None or rows.thread.last_no > 1 or not self.thread_key.startswith("reply:"):
            return []
        place = (*self.scope.key, rows.quoted.id, NEIGHBOURS, self.args.as_of)
        around = await messages.around(self.deps.database, *place)
        return [line for line in around if answered is None or line.id < answered.id]

    async def _message_answered(self) -> Line | StoredMessage | None:
        """The message that is being answered. It can be in another thread."""
        wanted, number = self.args.exclude_message_id, self._number_answered()
        if wanted is None or number is not None:
            return next((line for line in self.rows.window if line.id == number), None)
        found = await messages.by_ext_id(self.deps.database, *self.scope.key, wanted, self.scope.channel)
        return found if found is not None and found.channel == self.scope.channel else None

    def _number_answered(self) -> int | None:
        wanted = self.args.exclude_message_id
        named = [x for x in self.rows.window if wanted is not None and x.ext_id == wanted]
        own = [x for x in named if x.channel == self.scope.channel] or (named if len(named) == 1 else [])
        return own[0].id if own else None


def _is_earlier(result: Result, chat: int, asked: int, asked_at: datetime) -> bool:
    """Message numbers are comparable only within one chat."""
    return result.id < asked if result.chat_id == chat else result.at <= asked_at


def _places(chat: int, rows: ContextRows) -> Iterator[MessageRange]:
    """The messages that the context may show or summarize, without search results."""
    beside = rows.elsewhere
    replies = (line for talk in beside.replies for line in talk.lines)
    yield from (MessageRange(chat, line.id, line.id) for line in (*rows.window, *beside.left, *replies))
    yield from (MessageRange(talk.chat_id, line.id, line.id) for talk in beside.others for line in talk.lines)
    yield from (MessageRange(chat, chunk.from_id, chunk.to_id) for chunk in rows.chunks)
    if rows.quoted:
        yield MessageRange(chat, rows.quoted.id - NEIGHBOURS, rows.quoted.id + NEIGHBOURS)


def _unread(exchanges: int) -> list[ServerText]:
    if not exchanges:
        return []
    many = "100 or more exchanges" if exchanges >= MOST_UNREAD else quantity(exchanges, "exchange")
    have = "has" if exchanges == 1 else "have"
    text = (
        f"{many} {have} not been read by any model. When the user says something lasting, call remember with "
        "statements; the prompt learn hands over the rest."
    )
    return [ServerText(text, "unread", n=exchanges)]
