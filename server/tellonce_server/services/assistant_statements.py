"""Checks an assistant's claims about the user against the user's own words."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from tellonce.contract import QuotedStatement, RememberArgs
from tellonce_server.core.limits import offloaded
from tellonce_server.core.scope import ChatScope, session_thread
from tellonce_server.domain.dependencies import Dependencies
from tellonce_server.domain.location import thread_of
from tellonce_server.domain.memory.check import Quoted, Verdict, check, check_claim, contains_quote
from tellonce_server.domain.memory.extraction_results import is_evidence
from tellonce_server.embedding.protocol import Similarity, similarity_of
from tellonce_server.store import messages, queue
from tellonce_server.store.database import Queries
from tellonce_server.store.messages import Line, StoredMessage
from tellonce_server.store.queue import NewJob
from tellonce_text.own_words import own_words
from tellonce_text.sentences import split_sentences

RECENT: Final = 40
"""Recent messages of the thread that are searched for a quote."""

MOST_SENTENCES: Final = 40
"""Maximum sentences of the user whose meaning is compared with a claim."""


SHARED_FOR: Final = timedelta(minutes=1)
"""Delay of a second reading after the assistant's last statement."""

SHOWN: Final = 2_000
"""Maximum characters of each message in which the names in a claim are looked up."""


async def checker_at(deps: Dependencies, scope: ChatScope, args: RememberArgs) -> "StatementChecker":
    """A checker for the newest messages of the thread that the call names."""
    place = (*scope.key, await thread_of(deps, scope, args))
    lines = await messages.before_in_thread(deps.database, *place, messages.NEWEST, RECENT)
    return StatementChecker(deps, scope, lines)


class StatementChecker:
    """`lines` are the newest messages of a thread, oldest first."""

    def __init__(self, deps: Dependencies, scope: ChatScope, lines: Sequence[Line]) -> None:
        self._deps = deps
        self._place = scope.key
        self._lines = lines

    async def source(self, statement: QuotedStatement) -> StoredMessage | None:
        """The user's newest message that contains the quote."""
        found = self._holding(statement.quote) if statement.quote is not None else None
        return await messages.by_id(self._deps.database, *self._place, found.id) if found else None

    async def check(
        self, statement: QuotedStatement, text: str, source: StoredMessage | None, due: datetime | None
    ) -> Verdict:
        """Check a claim. `source` is the message that the statement names, and `due` is the statement's deadline."""
        quote = statement.quote
        if quote is None:
            said = [self._words(line) for line in ([source] if source else newest_words(self._lines))]
        else:
            held = None if source else await offloaded(_size(self._lines), lambda: self._holding(quote))
            said = [self._words(message, quote) for message in (source, held) if message is not None]
        asked = [text, *(part for quoted in said for part in split_sentences(quoted.quote))]
        similarity = await similarity_of(self._deps.embedder, asked[: MOST_SENTENCES + 1])
        return await offloaded(_size(self._lines), lambda: self._verdict(quote, text, said, due, similarity))

    async def queue_second_reading(self, t: Queries, sources: Sequence[int], now: datetime) -> None:
        """Queue the job in which a model checks the stored statements. `sources` are their messages. The job waits, so
        that the statements of several calls share it.

        The job is queued for the chat, because it reads statements of all of its threads. The call's thread can also be
        without messages, and `forget` would then not find its name.
        """
        read = [*sources, *(line.id for line in self._lines[-1:])]
        if not read:
            return
        thread_key = session_thread(self._place[1])
        job = NewJob(
            *(*self._place, "second_reading", thread_key, thread_key, min(read), max(read), now + SHARED_FOR),
            job_class="past",
        )
        await queue.enqueue(t, job, now)
        self._deps.tell_workers()

    def _verdict(
        self, quote: str | None, text: str, said: Sequence[Quoted], due: datetime | None, similarity: Similarity | None
    ) -> Verdict:
        speakers = sorted({line.speaker for line in self._lines if line.speaker})
        if quote is None:
            return check_claim(text, said, similarity, known=speakers, deadline=due)
        shown = [line.content[:SHOWN] for line in self._lines]
        return check(text, said, shown=shown, known=speakers, deadline=due, similarity=similarity)

    def _words(self, message: Line | StoredMessage, quote: str | None = None) -> Quoted:
        """The writer's own words in `quote`, or in the whole message. The quote may begin with the message's label,
        such as `[photo]`."""
        own = own_words(message.content)
        role = "user" if is_evidence(*self._place, message) else "assistant"
        return Quoted(own if quote is None else own_words(quote), own, role, message.sent_at, self._deps.zone)

    def _holding(self, quote: str) -> Line | None:
        said, wanted = (line for line in reversed(self._lines) if is_evidence(*self._place, line)), own_words(quote)
        return next((line for line in said if contains_quote(own_words(line.content), wanted)), None)


def newest_words(lines: Sequence[Line]) -> list[Line]:
    """The user's latest messages that follow each other directly. An answer may come after them."""
    end = len(lines)
    while end and lines[end - 1].role != "user":
        end -= 1
    start = end
    while start and lines[start - 1].role == "user":
        start -= 1
    return list(lines[start:end])


def _size(lines: Sequence[Line]) -> int:
    return sum(len(line.content) for line in lines)
