"""Holds what a connected assistant learned against the words the user recorded."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from chatmem.contract import QuotedStatement
from chatmem_server.embedding.protocol import EmbeddingUnavailable
from chatmem_server.memories import check as checks
from chatmem_server.memories import literals
from chatmem_server.memories.check import Quoted, Verdict
from chatmem_server.memories.resolving import admits
from chatmem_server.memories.striking import Cosines
from chatmem_server.places import Where
from chatmem_server.services import Kit
from chatmem_server.store import memories, messages
from chatmem_server.store.messages import StoredMessage
from chatmem_server.text.secrets import mask

NEWEST: Final = 60
"""Messages of the chat among which a quote that names none is looked for."""

MOST_SENTENCES: Final = 40


@dataclass(frozen=True)
class Checked:
    """`reason` None: nothing speaks against it. `source`: the message the quote stands in."""

    reason: str | None
    source: StoredMessage | None = None
    quotes: Sequence[memories.Quoted] = ()


class StatementChecker:
    def __init__(self, kit: Kit) -> None:
        self._kit = kit

    async def check(self, where: Where, statement: QuotedStatement, text: str, source: StoredMessage | None) -> Checked:
        """A statement that names no words of the user has nothing to be held against, and is taken as it is."""
        if statement.quote is not None:
            return await self._quoted(where, statement, text, source)
        if source is None:
            return Checked(None)
        verdict = checks.check_claim(
            text,
            [self._words(source, source.content)],
            (await self._similarity(text, source)).of,
            when=None,
            deadline=statement.deadline,
            admits=admits,
        )
        return Checked(_reason(verdict))

    async def _quoted(
        self, where: Where, statement: QuotedStatement, text: str, source: StoredMessage | None
    ) -> Checked:
        quote = statement.quote or ""
        source = source or await self._holding(where, quote)
        if source is None:
            return Checked("The quote is in none of the user's recent messages.")
        known = await memories.by_ids(self._kit.database, where.owner_id, statement.replaces)
        verdict = checks.check(
            text,
            [self._words(source, quote)],
            shown=[source.content],
            known=[m.content for m in known if where.sees(m.chat_id)],
            deadline=statement.deadline,
            admits=admits,
        )
        quotes = (memories.Quoted(source.id, mask(quote)),) if verdict.has_true_quote else ()
        return Checked(_reason(verdict), source, quotes)

    def _words(self, source: StoredMessage, quote: str) -> Quoted:
        return Quoted(quote, source.content, source.role, source.sent_at, self._kit.zone)

    async def _holding(self, where: Where, quote: str) -> StoredMessage | None:
        """The newest message of the user that holds the quote."""
        place = (where.owner_id, where.chat_id)
        newest = await messages.page(self._kit.database, *place, messages.NEWEST, NEWEST)
        said = (line for line in newest if line.role == "user" and line.speaker is None)
        found = next((line.id for line in said if checks.contains_quote(line.content, quote)), None)
        return await messages.by_id(self._kit.database, *place, found) if found is not None else None

    async def _similarity(self, text: str, source: StoredMessage) -> Cosines:
        asked = [text, *literals.sentences(source.content)[:MOST_SENTENCES]]
        try:
            return Cosines(dict(zip(asked, await self._kit.embedder.embed(asked, urgent=True), strict=True)))
        except EmbeddingUnavailable:
            return Cosines({})


def _reason(verdict: Verdict) -> str | None:
    return " ".join(verdict.reasons) or None
