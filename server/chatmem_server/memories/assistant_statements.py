"""Holds what a model claims against what the user said in the exchange."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from chatmem.contract import QuotedStatement, RememberArgs
from chatmem_server.embedding.protocol import EmbeddingUnavailable, Vector
from chatmem_server.locating import lane_of
from chatmem_server.memories import literals
from chatmem_server.memories.check import Quoted, Similarity, Verdict, check, check_claim, contains_quote
from chatmem_server.memories.resolving import admits
from chatmem_server.places import Where
from chatmem_server.services import Kit
from chatmem_server.store import messages
from chatmem_server.store.messages import Line, StoredMessage

RECENT: Final = 40
"""Messages of the thread among which a quote is looked for."""

MOST_SENTENCES: Final = 40
"""Sentences of the user that a claim is compared with by meaning."""


class StatementCheckers:
    def __init__(self, kit: Kit) -> None:
        self._kit = kit

    async def at(self, where: Where, args: RememberArgs) -> "StatementChecker":
        """A checker that knows the newest messages of the thread the call takes place in."""
        thread = await lane_of(self._kit.database, where, args)
        place = (where.owner_id, where.chat_id, thread)
        lines = await messages.before_in_lane(self._kit.database, *place, messages.NEWEST, RECENT)
        return StatementChecker(self._kit, lines)


class StatementChecker:
    """`lines`: the newest messages of a thread, oldest first."""

    def __init__(self, kit: Kit, lines: Sequence[Line]) -> None:
        self._kit = kit
        self._lines = lines

    async def check(
        self, statement: QuotedStatement, text: str, source: StoredMessage | None, due: datetime | None
    ) -> Verdict:
        """`source` is the message the statement names, `due` its deadline."""
        if statement.quote is not None:
            message = source or self._holding(statement.quote)
            quoted = [self._words(message, statement.quote)] if message is not None else []
            shown = [line.content for line in self._lines]
            similarity = await self._similarity(text, quoted)
            return check(
                *(text, quoted), shown=shown, known=self._speakers(), deadline=due, admits=admits, similarity=similarity
            )
        said = [self._words(line, line.content) for line in ([source] if source else newest_words(self._lines))]
        similarity = await self._similarity(text, said)
        return check_claim(text, said, similarity, known=self._speakers(), deadline=due, admits=admits)

    def _words(self, message: Line | StoredMessage, quote: str) -> Quoted:
        return Quoted(quote, message.content, message.role, message.sent_at, self._kit.zone)

    def _holding(self, quote: str) -> Line | None:
        said = (line for line in reversed(self._lines) if line.role == "user")
        return next((line for line in said if contains_quote(line.content, quote)), None)

    def _speakers(self) -> list[str]:
        return sorted({line.speaker for line in self._lines if line.speaker})

    async def _similarity(self, text: str, said: Sequence[Quoted]) -> Similarity | None:
        """The cosine of the claim and each sentence; None while nobody can embed."""
        asked = [text, *(part for quoted in said for part in literals.sentences(quoted.quote))][: MOST_SENTENCES + 1]
        try:
            vectors = await self._kit.embedder.embed(asked, urgent=True)
        except EmbeddingUnavailable:
            return None
        known = dict(zip(asked, vectors, strict=True))
        return lambda one, other: _dot(known[one], known[other]) if one in known and other in known else 0.0


def newest_words(lines: Sequence[Line]) -> list[Line]:
    """What the user said last, whether or not it is answered yet."""
    end = len(lines)
    while end and lines[end - 1].role != "user":
        end -= 1
    start = end
    while start and lines[start - 1].role == "user":
        start -= 1
    return list(lines[start:end])


def _dot(one: Vector, other: Vector) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))
