"""Selects and orders the search results for a prompt. Pure."""

import re
from collections.abc import Sequence
from functools import lru_cache
from operator import attrgetter

from tellonce.contract_types import MEMORY_KINDS
from tellonce.settings import ContextDefaults
from tellonce_server.domain.retrieval import weights as w
from tellonce_server.domain.retrieval.question import asks
from tellonce_server.domain.retrieval.search_results import Result
from tellonce_server.domain.retrieval.signals import asking
from tellonce_text.caches import of_texts

SUMMARIES = 2
TIMELINE = 16
"""Maximum summaries for a question about the history of a topic; they are shown oldest first."""

UNMOVED = 12
"""Number of first messages for a question. Memories do not change the order of these messages. A context of 1,000
tokens has room for about this many messages. A small context therefore contains the same messages before and after the
summarizer has learned memories."""

MORE_MEMORIES = 12
"""Maximum number of memories for a question. For other messages, the maximum is `limits.memories`."""

MEMORY_COVERED = 0.15
"""Minimum share of the query's words in a memory. A memory with this share is used even if its similarity is below the
configured minimum."""

MESSAGE_COSINE = 0.45
MESSAGE_COVERED = 0.3
"""Minimum cosine of a message with the query, and minimum share of the query's words in the message. If the user's
message is not a question, a search result must reach at least one of the two minimums."""

OTHER_THREAD_MARGIN = 0.25
"""Minimum lead of a message from another thread if the current thread has a relevant message. The lead is the message's
share of the query's words minus the largest share of a message in the current thread."""


def choose(
    ranked: Sequence[Result], query: str, thread_key: str | None, shown: frozenset[int], limits: ContextDefaults
) -> list[Result]:
    """Return the selected results, most important first. `shown` are the ids of the messages in the window. If the
    query is not a question, these messages are left out."""
    if asks(query):
        return _for_question(ranked, query, thread_key, limits)
    talk = [f for f in ranked if f.kind == "message" and f.text != query and f.id not in shown and _near(f)]
    messages = _of_thread(without_copies(talk, query), thread_key)
    return [
        *messages[: limits.messages],
        *_memories(ranked, limits)[: limits.memories],
        *_summaries(ranked)[:SUMMARIES],
    ]


def _for_question(
    ranked: Sequence[Result], query: str, thread_key: str | None, limits: ContextDefaults
) -> list[Result]:
    """All results relevant to a question. Messages of the window are included too, because the history may have no room
    for them."""
    talk = [f for f in ranked if f.kind == "message" and f.text != query]
    messages = _of_thread(without_copies(_bearing(talk, limits.messages), query), thread_key)
    first, more = messages[: limits.messages], messages[limits.messages :]
    stated = dict.fromkeys([*_memories(ranked, limits)[:MORE_MEMORIES], *(f for f in ranked if f.listed)])
    return [*first, *stated, *_summaries(ranked)[:TIMELINE], *more]


def _memories(ranked: Sequence[Result], limits: ContextDefaults) -> list[Result]:
    found = (f for f in ranked if f.kind in MEMORY_KINDS)
    return [f for f in found if (f.cosine or 0.0) >= limits.min_cosine or f.covered >= MEMORY_COVERED]


def _summaries(ranked: Sequence[Result]) -> list[Result]:
    return [f for f in ranked if f.kind == "summary" and _near(f)]


def _bearing(messages: Sequence[Result], least: int) -> list[Result]:
    """The relevant messages, best first. The first `least` messages are always included, because so few scores are not
    enough to judge relevance. Messages that are not relevant are left out even if the budget has room for them.

    Memories raise the ranks of the messages from which they were learned. The first UNMOVED messages keep their ranks.
    """
    ranked = sorted(messages, key=attrgetter("own_score", "at", "id"), reverse=True)
    floor = max(w.FLOOR, ranked[0].own_score - w.FAR) if ranked else 0.0
    unmoved = max(least, UNMOVED)
    first = [f for place, f in enumerate(ranked[:unmoved]) if place < least or f.score >= floor]
    others = sorted(ranked[unmoved:], key=attrgetter("score", "at", "id"), reverse=True)
    return [*first, *(f for f in others if f.score >= floor)]


def _near(result: Result) -> bool:
    return (result.cosine or 0.0) >= MESSAGE_COSINE or result.covered >= MESSAGE_COVERED


def _of_thread(messages: Sequence[Result], thread_key: str | None) -> list[Result]:
    """The messages of this thread and some messages of other threads. A message of another thread is included in two
    cases: this thread has no relevant message, or the other message contains clearly more of the query's words."""
    own = [f for f in messages if f.thread_key == thread_key]
    if thread_key is None or not any(_near(f) for f in own):
        return list(messages)
    best = max(f.covered for f in own)
    return [f for f in messages if f.thread_key == thread_key or f.covered >= best + OTHER_THREAD_MARGIN]


OTHER_CHATS = 40
"""Maximum number of messages from the owner's other chats in a prompt. The maximum applies if one of these messages
probably answers the question and is clearly better than this chat's results."""

POSSIBLE = 20
"""Maximum number of messages from the owner's other chats in a prompt if the conditions for OTHER_CHATS are not met. In
this case, the messages must contain a possible answer, and the results of this chat must not contain one."""

POSSIBLE_COVERED, POSSIBLE_COSINE = 0.35, 0.33
"""A message is a possible answer if it contains at least the share POSSIBLE_COVERED of the question's words or has at
least the cosine POSSIBLE_COSINE. The values were measured with 456 questions about seven conversations. The questions
were asked in a new chat (`benchmarks.evidence --elsewhere`). With these limits, 91 % of the contexts contain some
evidence. For questions about another person's conversation, 57 % of the contexts contain messages of other chats. With
20 and 3 messages instead of OTHER_CHATS and POSSIBLE, 79 % of the contexts contain some evidence."""


NEARER = 0.15
"""Another chat is clearly better if its best cosine exceeds the best cosine of this chat's results by at least this
margin."""


ANSWERED_COVERED, ANSWERED_COSINE = 0.5, 0.4
"""A result of this chat answers the question if it contains at least this share of the question's words or has at least
this cosine. The values were measured with 322 questions about five conversations written by hand. Of the questions that
were asked in their own conversation, 30 % have no result that reaches one of the values. Of the questions that were
asked in another conversation, 82 % have no such result."""


def is_answered(found: Sequence[Result]) -> bool:
    """Whether the results probably answer the question. If the results of this chat (`of_chat`) probably answer it,
    other chats are not searched."""
    return any(f.covered >= ANSWERED_COVERED or (f.cosine or 0.0) >= ANSWERED_COSINE for f in found)


def of_chat(found: Sequence[Result], chat_id: int) -> list[Result]:
    """The results that belong to the chat `chat_id` alone. A global memory belongs to all chats of the owner. A newer
    message in another chat may contradict it, so a global memory is no reason to leave out other chats. Results for a
    query that names only a time are left out too, because something was probably said in several chats at that time."""
    return [f for f in found if f.chat_id == chat_id and not f.by_time]


def _may_answer(found: Sequence[Result]) -> bool:
    return any(f.covered >= POSSIBLE_COVERED or (f.cosine or 0.0) >= POSSIBLE_COSINE for f in found)


def _is_clearly_better(others: Sequence[Result], own: Sequence[Result]) -> bool:
    covered = max((f.covered for f in own), default=0.0) + OTHER_THREAD_MARGIN
    near = max((f.cosine or 0.0 for f in own), default=0.0) + NEARER
    return any(f.covered >= covered or (f.cosine or 0.0) >= near for f in others)


def with_other_chats(
    own: Sequence[Result], ranked: Sequence[Result], query: str, chat_id: int, *, several: bool
) -> list[Result]:
    """Return the results for a question without an answer in the chat `chat_id`. These are the chat's own results
    (`own`) and the relevant messages of the owner's other chats. `ranked` are the messages of all chats, best first,
    and the result has the same order. `several` says whether the question has more than one word to match. A single
    matching word proves little."""
    messages, here = [f for f in ranked if f.chat_id != chat_id and f.text != query], of_chat(own, chat_id)
    matched = [f if several else f._replace(covered=0.0) for f in messages]
    if is_answered(matched) and _is_clearly_better(matched, here):
        most = OTHER_CHATS
    else:
        most = POSSIBLE if _may_answer(matched) and not _may_answer(here) else 0
    if not most:
        return list(own)
    others = without_copies(_bearing(messages, 1), query)[:most]
    places = {f.place: place for place, f in enumerate(ranked)}
    both = [*others, *(f for f in own if f.kind == "message" and f.place in places)]
    rest = (f for f in own if f.kind != "message" or f.place not in places)
    return [*sorted(both, key=lambda f: places[f.place]), *rest]


SAME_QUESTION = 0.9
"""An earlier question counts as the same question in other words if the cosine of the two questions is at least this
value."""

_WORD = re.compile(r"\w+")


def without_copies(messages: Sequence[Result], query: str) -> list[Result]:
    """The messages, best first, without earlier copies of the question and without messages of equal words. A long
    reply always stays, because its text is not loaded yet."""
    kept: list[Result] = []
    said: set[Sequence[str]] = set()
    asked = _words(query)
    for result in messages:
        words = _words(result.text)
        if not (_asks_again(result, words, asked) or words in said):
            kept.append(result)
        if words:
            said.add(words)
    return kept


# The same messages are results of many questions, so each text is split only once.
@of_texts
@lru_cache(2_048)
def _words(text: str) -> Sequence[str]:
    return tuple(_WORD.findall(text.casefold()))


def _asks_again(result: Result, words: Sequence[str], asked: Sequence[str]) -> bool:
    if result.role != "user" or asking(result.text) < 1:
        return False
    return words == asked or (result.cosine or 0.0) >= SAME_QUESTION
