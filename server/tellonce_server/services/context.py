"""Reads the material for a context, assembles the context, and stores its receipt."""

import asyncio
import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from tellonce import contract as c
from tellonce.plural import counted
from tellonce.server_text import ServerText
from tellonce_server.core.offload import offloaded
from tellonce_server.core.scope import ChatScope, session_id
from tellonce_server.domain.context.assemble import Assembled, assemble
from tellonce_server.domain.context.budget import log_share, scaled
from tellonce_server.domain.context.history import STEP
from tellonce_server.domain.context.lines import chat_name, is_whole
from tellonce_server.domain.context.material import Material
from tellonce_server.domain.context.receipt_keeper import ReceiptKeeper
from tellonce_server.domain.dependencies import Dependencies
from tellonce_server.domain.location import thread_of
from tellonce_server.domain.memory.changed_words import changes_in
from tellonce_server.domain.retrieval.excerpt import excerpts_of
from tellonce_server.domain.retrieval.prompt_selection import choose
from tellonce_server.domain.retrieval.question import asks
from tellonce_server.domain.retrieval.search import Retriever
from tellonce_server.domain.retrieval.search_results import Result, SearchRequest, requested
from tellonce_server.store import chats, messages
from tellonce_server.store import context as rows_of
from tellonce_server.store.context import ContextRows, Limits, LogRows, Wanted
from tellonce_server.store.messages import Line, StoredMessage
from tellonce_server.store.receipts import Receipt
from tellonce_text.changes import Change, MessageRange, Passage
from tellonce_text.tokens import estimate

MOST_MESSAGES = 400
"""Maximum number of messages in a window. A thread has more messages without a summary only if the summarizer was down
for a long time."""

CHUNKS = 40
LOGGED, LOGGED_CHUNKS = 2_000, 400
"""Maximum numbers of memories and of chunk summaries that are read for a log. No budget has room for more."""

MOST_UNREAD = 100
"""Maximum number of unread exchanges that are counted. `context.sql` has the same limit."""

NEIGHBOURS = 2


@dataclass(frozen=True)
class _Request:
    where: ChatScope
    args: c.GetContextArgs
    thread_key: str
    asked_at: datetime

    @property
    def moment(self) -> datetime:
        """The context shows the memory in its state at this time."""
        return self.args.as_of or self.asked_at


def _characters(rows: ContextRows) -> int:
    """An estimate of the number of characters to process. The lengths of the messages are not summed, because a text
    that appears in several turns is processed only once (`lines.body`)."""
    newest = rows.window[-1:]
    longest = max((len(line.content) for line in rows.window), default=0)
    return max(longest, sum(len(line.content) for line in newest), len(rows.quoted.content) if rows.quoted else 0)


class ContextReader:
    def __init__(self, deps: Dependencies, retriever: Retriever, receipts: ReceiptKeeper) -> None:
        self._deps = deps
        self._retriever = retriever
        self._receipts = receipts

    async def context(self, where: ChatScope, args: c.GetContextArgs, *, learns: bool = False) -> c.Context:
        """Build one context and its receipt. If `learns` is true, the caller is an assistant that can learn from
        exchanges itself. The result then contains the number of exchanges that no model has read yet."""
        started = time.perf_counter()
        thread = await thread_of(self._deps, where, args)
        request = _Request(where, args, thread, self._deps.now())
        asked = self._asked(request)
        rows, recalled, log = await asyncio.gather(self._rows(request), self._recalled(asked), self._log(request))
        chosen = await self._chosen(request, asked, rows, recalled)
        asked_in = await self._message_answered(request, rows)
        if asked_in is not None:
            rows, chosen = await self._as_asked(request, rows, chosen, asked_in)
        around, results, changes, names = await asyncio.gather(
            self._around(request, rows, asked_in.id if asked_in else None),
            self._results(request, asked, chosen),
            self._changes(request, rows, chosen),
            self._names(request, chosen),
        )
        parts = self._material(request, rows, results, around)
        material = replace(parts, log=log, changes=changes, names=names)
        built = await offloaded(_characters(rows), lambda: assemble(material))
        receipt_id = await self._keep(request, rows, built)
        self._deps.emit(
            "context_built",
            ms=round((time.perf_counter() - started) * 1000, 2),
            tokens=built.tokens,
            truncated=built.truncated,
            receipt=receipt_id,
        )
        notices = [*built.notices, *_unread(rows.unread if learns else 0), *self._deps.notices]
        return self._result(request, rows, built, receipt_id, notices)

    async def _rows(self, r: _Request) -> ContextRows:
        """The database rows for the context. In a shared group, the context shows nothing from other threads."""
        defaults, rules = self._deps.settings.context, self._deps.settings.compaction
        limits = Limits(rules.keep + STEP, defaults.facts, defaults.goals, CHUNKS, MOST_MESSAGES)
        args = r.args
        elsewhere = not r.where.shared and (args.include is None or "elsewhere" in args.include)
        quoted, answered = args.reply_to_message_id, args.exclude_message_id
        wanted = Wanted(r.where, r.thread_key, r.asked_at, quoted, answered, args.as_of, elsewhere)
        return await rows_of.read(self._deps.database, wanted, limits)

    async def _log(self, r: _Request) -> LogRows:
        """The rows for the log. There are none in three cases: the budget is small, the context is of a past time, or
        the caller asks only for other sections."""
        if not log_share(r.args.token_budget) or r.args.as_of or "log" not in (r.args.include or ("log",)):
            return LogRows()
        place = (*r.where.key, r.thread_key)
        return await rows_of.read_log(self._deps.database, *place, memories=LOGGED, chunks=LOGGED_CHUNKS)

    async def _as_asked(
        self, r: _Request, rows: ContextRows, chosen: Sequence[Result], message: Line | StoredMessage
    ) -> tuple[ContextRows, list[Result]]:
        """The rows and results without the messages that are newer than the answered message. Answers to earlier
        messages are an exception: they remain in the window."""
        asked = message.id
        place = (r.where.chat_id, asked, message.sent_at)
        kept = [f for f in chosen if f.kind != "message" or _is_earlier(f, *place)]
        if not rows.window or rows.window[-1].id <= asked:
            return rows, kept
        answers = await rows_of.answers_to_earlier(self._deps.database, r.where, r.thread_key, asked)
        window = [line for line in rows.window if line.id <= asked or line.id in answers]
        latest = max((line.id for line in window if line.role == "assistant"), default=None)
        same = latest == rows.thread.focus_id
        thread = rows.thread if same else replace(rows.thread, focus_id=latest, slot=None, slot_until=None)
        return replace(rows, window=window, thread=thread), kept

    def _material(self, r: _Request, rows: ContextRows, results: Sequence[Result], around: Sequence[Line]) -> Material:
        return Material(
            rows=rows,
            results=results,
            around=around,
            excluded=self._answered(r, rows),
            query=r.args.query,
            thread_key=r.thread_key,
            now=r.moment,
            zone=self._deps.zone,
            total=r.args.token_budget,
            budgets=self._deps.settings.budgets,
            canonical_cap=self._deps.settings.compaction.canonical_cap,
            include=frozenset(r.args.include) if r.args.include is not None else None,
            keep=self._deps.settings.compaction.keep,
            # A client that asks for sections adds the time to its prompt itself (docs/CONTRACT.md, section 4).
            clock=r.args.detail == "text" and r.args.include is None,
            chat_id=r.where.chat_id,
        )

    async def _changes(
        self, r: _Request, rows: ContextRows, chosen: Sequence[Result]
    ) -> Mapping[tuple[int, int], list[Change]]:
        """The later versions of statements in messages that the context may show or summarize. A context of a past time
        shows no later changes."""
        if r.args.as_of is not None:
            return {}
        chat = r.where.chat_id
        share = scaled(self._deps.settings.budgets, r.args.token_budget).summaries
        found = [Passage(f.place, f.text, f.at) for f in chosen if f.place is not None]
        passages = [*_shown(chat, rows), *_summarized(chat, rows, share), *found]
        beside = [MessageRange(chat, q.id - NEIGHBOURS, q.id + NEIGHBOURS)] if (q := rows.quoted) else []
        return await changes_in(self._deps.database, r.where.owner_id, passages, chat, beside)

    def _asked(self, r: _Request) -> SearchRequest | None:
        """Return the search request; None if there is nothing to search for."""
        wanted = r.args.include is None or "relevant" in r.args.include
        if not wanted or not r.args.query or not r.args.query.strip():
            return None
        return requested(r.args, r.where, thread_key=r.thread_key, now=r.moment, zone=self._deps.zone)

    async def _recalled(self, asked: SearchRequest | None) -> list[Result]:
        return await self._retriever.recalled(asked) if asked is not None else []

    async def _chosen(
        self, r: _Request, asked: SearchRequest | None, rows: ContextRows, recalled: Sequence[Result]
    ) -> list[Result]:
        """The results for the prompt. If this chat does not answer the question, results of other chats are
        included."""
        if asked is None:
            return []
        shown = frozenset(line.id for line in rows.window if is_whole(line))
        own = choose(recalled, asked.query, r.thread_key, shown, self._deps.settings.context)
        if not rows.has_others or not asks(asked.query):
            return own
        return await self._retriever.with_other_chats(asked, own)

    async def _names(self, r: _Request, chosen: Sequence[Result]) -> dict[int, str]:
        """The names of the other chats from which a message was chosen, by chat number."""
        wanted = {f.chat_id for f in chosen if f.kind == "message" and f.chat_id != r.where.chat_id}
        found = [await chats.find(self._deps.database, r.where.owner_id, chat) for chat in wanted if chat is not None]
        return {chat.chat_id: chat_name(chat.channel, chat.conversation) for chat in found if chat is not None}

    async def _results(self, r: _Request, asked: SearchRequest | None, chosen: Sequence[Result]) -> list[Result]:
        return await self._retriever.with_texts(asked, chosen, excerpts_of(r.args.token_budget)) if asked else []

    async def _around(self, r: _Request, rows: ContextRows, answered: int | None) -> list[Line]:
        """Return the messages around the quoted message, if a reply to the quoted message has just started the thread.
        Only messages that are earlier than `answered` are returned."""
        if rows.quoted is None or rows.thread.last_no > 1 or not r.thread_key.startswith("reply:"):
            return []
        place = r.where.key
        around = await messages.around(self._deps.database, *place, rows.quoted.id, NEIGHBOURS, r.args.as_of)
        return [line for line in around if answered is None or line.id < answered]

    async def _keep(self, r: _Request, rows: ContextRows, built: Assembled) -> str:
        receipt_id = f"r{secrets.token_hex(8)}"
        await self._receipts.keep(
            Receipt(
                owner_id=r.where.owner_id,
                chat_id=r.where.chat_id,
                id=receipt_id,
                thread_key=r.thread_key,
                message_id=self._answered(r, rows),
                token_budget=r.args.token_budget,
                tokens=built.tokens,
                truncated=built.truncated,
                as_of=r.args.as_of,
                sections=[section.model_dump(mode="json") for section in built.sections],
                included=built.included,
                left_out=built.left_out,
                created_at=r.asked_at,
            ),
            rows.erasures,
        )
        return receipt_id

    async def _message_answered(self, r: _Request, rows: ContextRows) -> Line | StoredMessage | None:
        """The message that is being answered. The thread of this message may differ from the context's thread."""
        wanted, number = r.args.exclude_message_id, self._answered(r, rows)
        if wanted is None or number is not None:
            return next((line for line in rows.window if line.id == number), None)
        found = await messages.by_ext_id(self._deps.database, *r.where.key, wanted, r.where.channel)
        return found if found is not None and found.channel == r.where.channel else None

    def _answered(self, r: _Request, rows: ContextRows) -> int | None:
        """Return the id of the message that is being answered; None if the window does not contain it."""
        wanted = r.args.exclude_message_id
        named = [x for x in rows.window if wanted is not None and x.ext_id == wanted]
        own = [x for x in named if x.channel == r.where.channel] or (named if len(named) == 1 else [])
        return own[0].id if own else None

    def _result(
        self, r: _Request, rows: ContextRows, built: Assembled, receipt_id: str, notices: list[ServerText]
    ) -> c.Context:
        by_section = r.args.detail == "sections"
        return c.Context(
            context=None if by_section else built.text,
            sections=tuple(built.sections) if by_section else None,
            tokens=built.tokens,
            token_budget=r.args.token_budget,
            truncated=built.truncated,
            thread_key=r.thread_key,
            session_id=session_id(r.where.home, r.where.chat_id),
            focus=built.focus,
            notices=tuple(notices),
            coverage=built.coverage,
            receipt_id=receipt_id,
        )


def _is_earlier(result: Result, chat: int, asked: int, asked_at: datetime) -> bool:
    """Whether a message is earlier than `asked`. Message numbers can be compared only within one chat, so a message of
    another chat is compared by its time."""
    return result.id < asked if result.chat_id == chat else result.at <= asked_at


def _shown(chat: int, rows: ContextRows) -> Iterator[Passage]:
    """Yield the messages that the context may show. Messages that a search found are left out."""
    beside = rows.elsewhere
    replies = (line for talk in beside.replies for line in talk.lines)
    quoted = [rows.quoted] if rows.quoted else []
    yield from (_passage(chat, line) for line in (*rows.window, *beside.left, *replies, *quoted))
    yield from (_passage(talk.chat_id, line) for talk in beside.others for line in talk.lines)


def _passage(chat: int, line: Line | StoredMessage) -> Passage:
    return Passage(MessageRange(chat, line.id, line.id), line.content, line.sent_at)


def _summarized(chat: int, rows: ContextRows, share: int) -> Iterator[Passage]:
    """The newest chunk summaries. The function takes summaries up to twice `share` tokens, because a context leaves
    out repetitions."""
    left = 2 * share
    for chunk in reversed(rows.chunks):
        left -= estimate(chunk.text)
        if left < 0:
            return
        yield Passage(MessageRange(chat, chunk.from_id, chunk.to_id), chunk.text, chunk.to_at)


def _unread(exchanges: int) -> list[ServerText]:
    if not exchanges:
        return []
    many = "100 or more exchanges" if exchanges >= MOST_UNREAD else counted(exchanges, "exchange")
    have = "has" if exchanges == 1 else "have"
    text = (
        f"{many} {have} not been read by any model. When the user says something lasting, call remember with "
        "statements; the prompt learn hands over the rest."
    )
    return [ServerText(text, "unread", n=exchanges)]
