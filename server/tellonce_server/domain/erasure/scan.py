"""Searches every text of an owner for the matches of a forget query. After a restore, it also finds forgotten text that
is stored again."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, replace

from tellonce_server.core.limits import paced
from tellonce_server.core.scope import MACHINE_ID, PROGRAMS, replaced_channel
from tellonce_server.domain.erasure.forget_query import DEGREES, Degree, ForgetQuery, Mark, Source, Stated
from tellonce_server.domain.erasure.redaction import GONE, strings
from tellonce_server.domain.erasure.text_places import NAMES, searched
from tellonce_server.domain.tombstones import FORGOTTEN_NAME, Tombstones
from tellonce_server.store import chats, memories, messages, texts, threads, tombstones
from tellonce_server.store.database import Database, Queries
from tellonce_server.store.messages import Line
from tellonce_server.store.texts import TextRow

CONTENT, SPEAKER, ROUTINE, *IDS = map([*messages.WORDS].index, ("content", "speaker", "routine", "ext_id", "reply_to"))
"""Columns of a message, as `texts.find` returns them."""


@dataclass(frozen=True, slots=True)
class MatchingRow:
    """A row that matches with the degree `degree`. `columns` are the columns with such a match, and `mark` is the first
    such match. Column -1 is the row's JSON."""

    row: TextRow
    degree: Degree
    columns: tuple[int, ...]
    mark: Mark

    @property
    def key(self) -> tuple[str, int, int]:
        """A key that all versions of the row share: its place, its chat for a message, and its number."""
        chat = self.row.chat_id if self.row.place in ("message", "message_version") else 0
        return self.row.place, chat or 0, self.row.id


async def scan(
    database: Database, owner_id: int, chat_id: int | None, query: ForgetQuery, *, messages: bool
) -> list[MatchingRow]:
    """All matches in an owner's texts, or in those visible in one chat. Texts are searched outside the event loop."""
    found: list[MatchingRow] = []
    async for page in texts.find(database, owner_id, chat_id, query.patterns, searched(messages=messages)):
        found += await asyncio.to_thread(matching_rows, page, query)
    return found


def matching_rows(rows: Sequence[TextRow], query: ForgetQuery) -> list[MatchingRow]:
    return [matching for row in paced(rows) for matching in _of_row(row, query)]


def _of_row(row: TextRow, query: ForgetQuery) -> list[MatchingRow]:
    """One match for each degree in the row, most certain first. A name, or a memory whose content matches, is erased as
    a whole and is one match. A match inside a longer word counts only if there are no other matches."""
    found: list[tuple[int, Mark]] = []
    for column, text in enumerate(row.texts):
        if text and text != GONE and not is_machine_id(row, column):
            found += [(column, _certain(row, mark, text)) for mark in query.marks(text, source_of(row, column))]
    source = source_of(row, -1)
    for text in strings(row.body):
        found += [(-1, mark) for mark in query.marks(text, source)]
    present = {mark.degree for _, mark in found}
    degrees: list[Degree] = [degree for degree in DEGREES if degree in present]
    by_degree = [_of_degree(row, found, degree) for degree in degrees if degree != "part" or len(degrees) == 1]
    is_whole = row.place in NAMES or (row.place == "memory" and bool(by_degree) and CONTENT in by_degree[0].columns)
    return by_degree[:1] if is_whole else by_degree


def _of_degree(row: TextRow, found: Sequence[tuple[int, Mark]], degree: Degree) -> MatchingRow:
    deciding = [(column, mark) for column, mark in found if mark.degree == degree or _is_stated(row, column, mark)]
    return MatchingRow(row, degree, tuple(dict.fromkeys(column for column, _ in deciding)), deciding[0][1])


def _is_stated(row: TextRow, column: int, mark: Mark) -> bool:
    """Whether the mark is in the content of a memory. It counts even if another column, such as a quote, has a more
    certain mark."""
    return row.place == "memory" and column == CONTENT and mark.degree != "part"


def _certain(row: TextRow, mark: Mark, text: str) -> Mark:
    """The mark, with the degree `form` if it covers only a part of a channel's name. Such a part can be the name of a
    program, such as `code`."""
    in_part = row.place == "channel" and mark.degree == "exact" and mark.end - mark.start < len(text)
    return replace(mark, degree="form") if in_part else mark


def source_of(row: TextRow, column: int) -> Source:
    return Source(row.place, row.chat_id, row.id, column)


def is_machine_id(row: TextRow, column: int) -> bool:
    """Whether searches skip the column. They skip an id that a machine made, because it can contain a literal's digits
    by chance. They also skip a channel's name if it is a program's name or replaces a forgotten name."""
    text = row.texts[column] or ""
    if row.place == "channel":
        return text in PROGRAMS or text.startswith(replaced_channel(FORGOTTEN_NAME))
    is_id = row.place in NAMES or (row.place == "message" and column in IDS)
    return is_id and MACHINE_ID.fullmatch(text) is not None


async def names_again(database: Database, hashes: Tombstones, owner_id: int) -> list[MatchingRow]:
    """The forgotten names of conversations, threads and channels that are stored again."""
    found: list[MatchingRow] = []
    async for page in texts.find(database, owner_id, None, ["%"], NAMES):
        named = [(row.texts[0] or "", row) for row in page]
        gone = await hashes.forgotten_names(database, owner_id, [name for name, _ in named])
        found += [MatchingRow(row, "exact", (0,), Mark(0, len(name), "exact")) for name, row in named if name in gone]
    return found


async def message_names_again(database: Database, hashes: Tombstones, owner_id: int) -> list[Source]:
    """The columns of messages that contain a forgotten name. Messages that were sent after the name was forgotten are
    left out."""
    marks = await tombstones.of_texts(database, owner_id)
    found: list[Source] = []
    if marks:
        async for page in texts.find(database, owner_id, None, ["%"], ["message"]):
            found += [
                source_of(row, column)
                for row in page
                for column, name in enumerate(row.texts)
                if column != CONTENT and name and row.at < (hashes.forgotten_at(name, marks) or row.at)
            ]
    return found


async def known_again(q: Queries, hashes: Tombstones, owner_id: int) -> tuple[list[int], list[Stated]]:
    """Returns two lists: the ids of memories whose statement was forgotten later, and the forgotten sentences that
    messages contain again."""
    standing = await tombstones.standing(q, owner_id)
    found = [
        memory.id
        for memory in await memories.all_of_owner(q, owner_id)
        if any(s.created_at > memory.valid_from for s in hashes.covering(standing, memory.content))
    ]
    marks = await tombstones.of_messages(q, owner_id)
    parts: list[Stated] = []
    if marks:
        async for chat_id, line in _messages(q, owner_id):
            again = hashes.forgotten_in(chat_id, line.id, line.content, marks)
            parts += [Stated(part, sources=frozenset(((chat_id, line.id),))) for part in again]
    return found, parts


async def _messages(q: Queries, owner_id: int) -> AsyncGenerator[tuple[int, Line]]:
    for chat in await chats.of_owner(q, owner_id):
        for thread in await threads.of_chat(q, owner_id, chat.chat_id):
            async for line in messages.of_thread(q, owner_id, chat.chat_id, thread.thread_key):
                yield chat.chat_id, line
