"""Turns a call of `forget` into a query. Statements are analyzed outside the event loop."""

import asyncio
import re
from collections.abc import Sequence
from typing import Final

from tellonce.contract import ForgetArgs
from tellonce_server.core.errors import Refused
from tellonce_server.core.limits import paced
from tellonce_server.core.scope import ChatScope, is_conversation
from tellonce_server.domain.erasure.forget_query import (
    EverythingQuery,
    ForgetQuery,
    LiteralQuery,
    RowQuery,
    Stated,
    StatementQuery,
    TopicQuery,
)
from tellonce_server.domain.erasure.previews import Match, chosen
from tellonce_server.domain.erasure.scan import CONTENT
from tellonce_server.domain.erasure.targets import Target
from tellonce_server.store import forget, texts
from tellonce_server.store.database import Queries
from tellonce_server.store.forget import Statement
from tellonce_server.store.texts import TextRow
from tellonce_text.literal import Literal
from tellonce_text.sentences import whole_sentences

TELLING = 2
"""A sentence is searched for in derived texts only if it has at least this many content words. A shorter sentence can
match by chance. It is used only if its message has no sentence of this length."""

LONGEST_SHOWN: Final = 2_000
"""Maximum characters of a line in a context or a list."""
_BEFORE: Final = re.compile(r"\A\s*(?:[-•·›] )?(?:#\d+ )?(?:\[[^\[\]\n]*\](?: [^:\n]{1,64})?:? )?")
_AFTER: Final = re.compile(r"(?: \((?!\d{4}-)[^()\n]*\))+\s*\Z")
_DAY: Final = re.compile(r" \(\d{4}-\d\d-\d\d[^()\n]*\)")


class NothingNamed(Refused):
    """The call names nothing to search for. The error text says what to send."""


def as_stored(shown: str) -> list[str]:
    """The texts that may be stored for a line that the user copied from a context or a list. The first text lacks the
    line's number, time, speaker and remarks. The second text also lacks added days. `[Feb 15] User: See Anna tomorrow
    (2026-06-03)` gives `See Anna tomorrow (2026-06-03)` and `See Anna tomorrow`. Empty if there is nothing to remove,
    or for a line longer than LONGEST_SHOWN."""
    if len(shown) > LONGEST_SHOWN:
        return []
    line = _AFTER.sub("", _BEFORE.sub("", shown))
    return [form for form in dict.fromkeys((line, _DAY.sub("", line))) if form not in (shown, "")]


def reach(scope: ChatScope, args: ForgetArgs) -> int | None:
    """The chat to which the call is limited; None for all chats of the owner. A call from a personal group is limited
    to this group. If the call names a conversation, `everything` is limited to this conversation, because a model that
    works in a project may mean only the project."""
    is_named = args.chat_id is not None or args.conversation_id is not None
    here_alone = args.everything and is_named and is_conversation(scope.chat_id)
    return scope.chat_id if here_alone or not scope.is_own else None


async def query_of(
    q: Queries, scope: ChatScope, args: ForgetArgs, sealed: Sequence[Match] | None = None
) -> ForgetQuery:
    """The query for a call. `sealed` are the matches of a confirmed preview. A query for a period then covers only
    these matches and no newer texts.

    Raises NothingNamed if the text is empty after normalization, or a number does not exist.
    """
    if (topic := args.topic) is not None:
        return await asyncio.to_thread(lambda: TopicQuery(topic, _literal(topic)))
    if (literal := args.literal) is not None:
        return await asyncio.to_thread(lambda: LiteralQuery(_literal(literal)))
    if args.memory_ids is not None:
        found = await forget.memories(q, scope.owner_id, args.memory_ids)
        seen = [memory for memory in found if scope.sees(memory.chat_id)]
        if sealed is None:
            _all_there(args.memory_ids, {memory.id for memory in seen}, "memory")
        return await asyncio.to_thread(StatementQuery, stated(seen))
    if args.message_ids is not None:
        rows = await texts.messages(q, scope.owner_id, [(scope.chat_id, number) for number in args.message_ids])
        _all_there(args.message_ids, {row.id for row in rows}, "message")
        return await asyncio.to_thread(_rows, rows, [])
    if sealed is None:
        return await _period(q, scope, args)
    exact = [match.ref for match in sealed if match.kind == "memory" and match.degree == "exact"]
    memories = await forget.memories(q, scope.owner_id, exact)
    messages = [(m.chat_id, m.ref) for m in sealed if m.kind == "message"]
    rows = await texts.messages(q, scope.owner_id, messages)
    # The statement of a memory that the user keeps stays in the profile, too.
    erased = {match.key for match in chosen(sealed, args)}
    told_rows = [row for row in rows if ("message", row.chat_id or 0, row.id) in erased]
    told = [memory for memory in memories if ("memory", 0, memory.id) in erased]
    return await asyncio.to_thread(_row_query, scope, args, rows, memories, told_rows, told)


def stated(memories: Sequence[Statement]) -> list[Stated]:
    return [
        Stated(m.content, m.id, tuple(m.quotes), frozenset((m.source_chat_id or 0, source) for source in m.source_ids))
        for m in memories
    ]


def _literal(said: str) -> Literal:
    literal = Literal.of(said)
    if literal is None:
        text = "Name what to forget with at least one specific word, such as a name or a thing."
        raise NothingNamed(text, "forget_unspecific")
    return literal


def _all_there(asked: Sequence[int], there: set[int], what: str) -> None:
    missing = [number for number in asked if number not in there]
    if missing:
        text = f"No {what} {missing[0]} in this chat; a search finds its number."
        if what == "memory":
            raise NothingNamed(text, "no_memory", id=missing[0])
        raise NothingNamed(text, "no_message")


async def _period(q: Queries, scope: ChatScope, args: ForgetArgs) -> ForgetQuery:
    """A query for the messages and memories of the period, or for all without a period."""
    chat_id = reach(scope, args)
    rows = await texts.messages_between(q, scope.owner_id, chat_id, args.since, args.until)
    memories = await forget.memories_of(q, scope.owner_id, chat_id, args.since, args.until)
    return await asyncio.to_thread(_row_query, scope, args, rows, memories, rows, memories)


def _row_query(
    scope: ChatScope,
    args: ForgetArgs,
    rows: Sequence[TextRow],
    memories: Sequence[Statement],
    told_rows: Sequence[TextRow],
    told: Sequence[Statement],
) -> RowQuery:
    """A query for these messages and memories. If `everything` of one chat is to be forgotten, the query also searches
    the texts that belong to no chat, such as the profile. In these texts, it finds the statements of `told_rows` and
    `told`."""
    if not args.everything:
        return _rows(rows, memories)
    keys = [(row.chat_id or 0, row.id) for row in rows]
    ids = [memory.id for memory in memories]
    return EverythingQuery(keys, ids, None if reach(scope, args) is None else _stated(told_rows, told))


def _rows(rows: Sequence[TextRow], memories: Sequence[Statement]) -> RowQuery:
    return RowQuery([(row.chat_id or 0, row.id) for row in rows], _stated(rows, memories))


def _stated(rows: Sequence[TextRow], memories: Sequence[Statement]) -> list[Stated]:
    """The statements of these memories and the sentences of these messages."""
    parts = (part for row in paced(rows) for part in _statement_sentences(row.texts[CONTENT] or ""))
    return [*stated(memories), *map(Stated, dict.fromkeys(parts))]


def _statement_sentences(text: str) -> list[str]:
    """The sentences of a message that are searched for in derived texts."""
    words = {part.strip(): len(Target.statement(part).words) for _, part in whole_sentences(text)}
    fewest = min(TELLING, max(words.values(), default=0))
    return [part for part, count in words.items() if count >= fewest > 0]
