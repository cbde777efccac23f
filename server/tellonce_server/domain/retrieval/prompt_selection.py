"""Selects and orders the search results for a prompt. Pure."""

import re
from collections.abc import Sequence, Set
from functools import lru_cache
from itertools import pairwise

from tellonce.contract_types import MEMORY_KINDS
from tellonce.settings import ContextDefaults
from tellonce_server.domain.retrieval import weights as w
from tellonce_server.domain.retrieval.question import asks
from tellonce_server.domain.retrieval.search_results import Result
from tellonce_text.caches import of_texts

SUMMARIES = 2
TIMELINE = 16
"""Maximum number of summaries for a question about the history of a topic."""

MORE_MEMORIES = 12
"""Maximum number of memories for a question. For other messages, the maximum is `limits.memories`."""

MEMORY_COVERED = 0.15
"""A memory with at least this share of the query's words is used even if it is not similar."""

MESSAGE_COSINE = 0.45
MESSAGE_COVERED = 0.3
"""Minimum cosine and minimum share of the query's words. A near result reaches one of the two."""

OTHER_THREAD_MARGIN = 0.25
"""How much more of the query's words a message of another thread must contain."""


def choose(
    ranked: Sequence[Result], query: str, thread_key: str | None, shown: frozenset[int], limits: ContextDefaults
) -> list[Result]:
    """The selected results, most important first. `shown` are messages of the window, which are left out unless the
    query is a question."""
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
    """Messages of the window are included, because the history may have no room for them."""
    talk = [f for f in ranked if f.kind == "message" and f.text != query]
    messages = _of_thread(without_copies(_bearing(talk, limits.messages), query), thread_key)
    first, more = messages[: limits.messages], messages[limits.messages :]
    stated = dict.fromkeys([*_memories(ranked, limits)[:MORE_MEMORIES], *(f for f in ranked if f.listed)])
    return [*first, *stated, *_summaries(ranked)[:TIMELINE], *more]


def _memories(ranked: Sequence[Result], limits: ContextDefaults) -> list[Result]:
    found = (f for f in ranked if f.kind in MEMORY_KINDS)
    return [f for f in found if _reaches(f, MEMORY_COVERED, limits.min_cosine)]


def _summaries(ranked: Sequence[Result]) -> list[Result]:
    return [f for f in ranked if f.kind == "summary" and _near(f)]


def _bearing(messages: Sequence[Result], least: int) -> list[Result]:
    """The relevant messages, best first. The first `least` messages are always included, because a few scores do not
    show relevance."""
    floor = max(w.FLOOR, messages[0].score - w.FAR) if messages else 0.0
    return [f for place, f in enumerate(messages) if place < least or f.score >= floor]


def _near(result: Result) -> bool:
    return _reaches(result, MESSAGE_COVERED, MESSAGE_COSINE)


def _reaches(result: Result, covered: float, cosine: float) -> bool:
    return result.covered >= covered or (result.cosine or 0.0) >= cosine


def _of_thread(messages: Sequence[Result], thread_key: str | None) -> list[Result]:
    """Messages of other threads stay only if this thread has no near message, or if they clearly contain more of the
    query."""
    own = [f for f in messages if f.thread_key == thread_key]
    if thread_key is None or not any(_near(f) for f in own):
        return list(messages)
    best = max(f.covered for f in own)
    return [f for f in messages if f.thread_key == thread_key or f.covered >= best + OTHER_THREAD_MARGIN]


OTHER_CHATS = 40
"""Maximum number of messages of other chats if one of them probably answers the question and is clearly better than
this chat."""

POSSIBLE = 20
"""Maximum number of messages of other chats if only other chats contain a possible answer."""

POSSIBLE_COVERED, POSSIBLE_COSINE = 0.35, 0.33
"""Minimum share of the question's words, and minimum cosine. A possible answer reaches at least one of them. Measured
with 456 questions in a new chat (`benchmarks.evidence --elsewhere`): 91 % of the contexts contain some evidence."""


NEARER = 0.15
"""Another chat is clearly better if its best cosine is greater by at least this margin."""


ANSWERED_COVERED, ANSWERED_COSINE = 0.5, 0.4
"""Minimum share of the question's words, and minimum cosine. An answer in this chat reaches at least one of them. Of
322 questions, 30 % have no such result in their own conversation. In another conversation, 82 % have none."""


def is_answered(found: Sequence[Result]) -> bool:
    """Whether the results probably answer the question. Then other chats are not searched."""
    return any(_reaches(f, ANSWERED_COVERED, ANSWERED_COSINE) for f in found)


def of_chat(found: Sequence[Result], chat_id: int) -> list[Result]:
    """The results that belong only to this chat. Global memories are left out, because a newer message in another chat
    may contradict them. Results found by time are left out, because other chats probably have messages of that time,
    too."""
    return [f for f in found if f.chat_id == chat_id and not f.by_time]


def _may_answer(found: Sequence[Result]) -> bool:
    return any(_reaches(f, POSSIBLE_COVERED, POSSIBLE_COSINE) for f in found)


def _is_clearly_better(others: Sequence[Result], own: Sequence[Result]) -> bool:
    covered = max((f.covered for f in own), default=0.0) + OTHER_THREAD_MARGIN
    cosine = max((f.cosine or 0.0 for f in own), default=0.0) + NEARER
    return any(_reaches(f, covered, cosine) for f in others)


def with_other_chats(
    own: Sequence[Result], ranked: Sequence[Result], query: str, chat_id: int, *, several: bool
) -> list[Result]:
    """The chat's own results and the relevant messages of the owner's other chats.

    `ranked` are the messages of all chats, best first. `several` says whether the question has more than one word to
    match, because a single matching word proves little.
    """
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


REPEATED = 0.7
"""A reply of the assistant is a repetition if better results contain this share of the reply's pairs of words."""

_WORD = re.compile(r"\w+")


def without_copies(messages: Sequence[Result], query: str) -> list[Result]:
    """The messages, best first, without copies of the question or of a better message, and without replies that repeat
    better messages. A long reply always stays, because its text is not loaded yet."""
    kept: list[Result] = []
    said, heard = {_words(query)}, set[tuple[str, str]]()
    for result in messages:
        words = _words(result.text)
        pairs = frozenset(pairwise(words))
        if not words or not (words in said or _repeats(result, pairs, heard)):
            kept.append(result)
            heard |= pairs
        said.add(words)
    return kept


def _repeats(result: Result, pairs: Set[tuple[str, str]], heard: Set[tuple[str, str]]) -> bool:
    """Whether a reply repeats earlier words. A person who says the same words again makes a new statement."""
    if result.role != "assistant" or result.speaker or result.routine or not pairs:
        return False
    return len(pairs & heard) >= REPEATED * len(pairs)


# The same messages are results of many questions, so each text is split only once.
@of_texts
@lru_cache(2_048)
def _words(text: str) -> Sequence[str]:
    return tuple(_WORD.findall(text.casefold()))
