"""The matches that a preview shows, and the form in which they are stored. A match stands for the rows and versions
that a confirmed erasure removes."""

import hashlib
import hmac
import json
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from tellonce.contract import ForgetArgs, ForgetMatch
from tellonce_server.core.limits import paced
from tellonce_server.core.scope import ChatScope
from tellonce_server.domain.erasure.forget_query import DEGREES, Degree, ForgetQuery, Mark, accepted, touched
from tellonce_server.domain.erasure.redaction import GONE, marks_of, redact, strings
from tellonce_server.domain.erasure.scan import CONTENT, MatchingRow, source_of
from tellonce_server.domain.erasure.text_places import PLACES
from tellonce_server.store import forget, texts
from tellonce_server.store.database import Queries
from tellonce_server.store.forget import Statement
from tellonce_server.store.messages import WORDS
from tellonce_server.store.texts import TextRow
from tellonce_text.secrets import mask
from tellonce_text.sentences import is_question, whole_sentences

MOST_LISTED = 300
"""Maximum number of matches that are listed one by one. The preview gives only the number of the others."""
SHOWN = 400
"""Maximum characters of a match in a preview."""
EXAMPLE = 48
"""Maximum characters of the one text that is shown for a group of texts."""
MOST_SENTENCES = 20
"""Maximum number of sentences that are listed for a match."""
_BEFORE = 0.3
"""Of the shown characters, at most this share comes before the match."""
_WORD = re.compile(r"\S+")
GROUP = "texts"
"""The kind of a match that stands for all derived texts and former versions of one degree."""

Copy = tuple[int, int]
"""The owner and the number of a copy of a memory."""
NO_COPIES: Final[Mapping[int, Sequence[Copy]]] = {}


class Match(NamedTuple):
    """One match of a preview: the parts of a message that have one degree, or a memory, or all derived texts of one
    degree (`GROUP`). `version` is the row's version in the preview. `copies` are the copies of a memory that were
    shared with other owners."""

    kind: str
    chat_id: int
    ref: int
    version: int
    degree: Degree
    ticked: bool
    copies: tuple[Copy, ...] = ()

    @property
    def key(self) -> tuple[str, int, int]:
        return self.kind, self.chat_id, self.ref


class Shown(NamedTuple):
    """A match with the rows for which it stands."""

    match: Match
    rows: tuple[MatchingRow, ...]


def matches(found: Sequence[MatchingRow], copies: Mapping[int, Sequence[Copy]] = NO_COPIES) -> list[Shown]:
    """The matches in this order: one for each memory, oldest first; one for each message and degree, oldest first; one
    for all other texts of each degree. `copies` maps the id of a memory to its copies.

    A match inside a longer word is left out if there are other matches.
    """
    if any(matching.degree != "part" for matching in found):
        found = [matching for matching in found if matching.degree != "part"]
    rows = [matching for matching in found if is_own(matching)]
    rows.sort(
        key=lambda matching: (
            matching.row.place == "message",
            matching.row.at,
            matching.row.chat_id or 0,
            matching.row.id,
        )
    )
    shown = [Shown(_match(matching, copies), (matching,)) for matching in rows]
    other = [matching for matching in found if not is_own(matching)]
    for degree in DEGREES:
        if group := tuple(matching for matching in other if matching.degree == degree):
            shown.append(Shown(Match(GROUP, 0, 0, 0, degree, ticked=degree == "exact"), group))
    return shown


def with_answers(shown: Sequence[Shown]) -> list[Shown]:
    """The matches. If all exact matches are questions, the matches of degree `form` are ticked, too. A person who asks
    to forget `Sarah's number` wants the number forgotten, not only `What is Sarah's number?`."""
    exact = [matching for each in shown if each.match.ticked for matching in each.rows]
    if not exact or not all(is_question(_sentence(matching)) for matching in exact):
        return list(shown)
    return [
        Shown(each.match._replace(ticked=each.match.ticked or each.match.degree == "form"), each.rows) for each in shown
    ]


def listed(shown: Sequence[Shown], now: datetime, query: ForgetQuery | None = None) -> tuple[ForgetMatch, ...]:
    """The matches in the contract's form, numbered from 1, with masked secrets. With `query`, a message that is
    erased in part lists its erased sentences. A memory lists the sentences that do not match but are erased together
    with the memory."""
    return tuple(_listed(number, each, now, query) for number, each in enumerate(paced(shown[:MOST_LISTED]), 1))


def listed_related(near: Sequence[Shown], now: datetime, first: int) -> tuple[ForgetMatch, ...]:
    """The related memories and messages, numbered from `first`. They have no label, because they need not contain the
    words."""
    return tuple(
        _listed(number, each, now, None).model_copy(update={"match": None}) for number, each in enumerate(near, first)
    )


def chosen(all_matches: Sequence[Match], args: ForgetArgs) -> list[Match]:
    """The matches to erase: those ticked or in `also`, without those in `except`."""
    kept, added = frozenset(args.except_ or ()), frozenset(args.also or ())
    return [
        match for number, match in enumerate(all_matches, 1) if number not in kept and (match.ticked or number in added)
    ]


def kept(
    all_matches: Sequence[Match], erased: Sequence[Match], found: Sequence[MatchingRow], now: datetime
) -> tuple[ForgetMatch, ...]:
    """The matches that were not erased and that the last search still found, with their numbers from the preview."""
    by_match: defaultdict[tuple[object, ...], list[MatchingRow]] = defaultdict(list)
    for matching in found:
        by_match[matching.key if is_own(matching) else (GROUP, matching.degree)].append(matching)
    gone = frozenset(erased)
    changed = frozenset(match.key for match in erased if match.kind != GROUP)
    stay: list[tuple[int, Shown]] = []
    for number, match in enumerate(all_matches, 1):
        of_row = by_match.get((GROUP, match.degree) if match.kind == GROUP else match.key, [])
        of_match = [matching for matching in of_row if matching.degree == match.degree] or (
            of_row if match.key not in changed else []
        )
        if match not in gone and of_match:
            stay.append((number, Shown(match, tuple(of_match))))
    return tuple(_listed(number, each, now, None) for number, each in stay)


def packed(all_matches: Sequence[Match]) -> str:
    return json.dumps(all_matches)


def unpacked(hits: str) -> list[Match]:
    read = (Match(*row) for row in json.loads(hits))
    return [match._replace(copies=tuple((owner, number) for owner, number in match.copies)) for match in read]


def asked(args: ForgetArgs, key: bytes) -> bytes:
    """A keyed hash of the request, which shows whether a token was issued for it."""
    # The thread does not matter. Only the confirmation contains the token and the selection.
    others = ("confirm", "except_", "also", "message_thread_id", "reply_to_message_id")
    meant = args.model_copy(update=dict.fromkeys(others)).model_dump_json(by_alias=True)
    return hmac.new(key, meant.encode(), hashlib.sha256).digest()


def selected(args: ForgetArgs, key: bytes) -> bytes:
    """A keyed hash of the numbers in `except` and `also`."""
    numbers = sorted(set(args.except_ or ())), sorted(set(args.also or ()))
    return hmac.new(key, repr(numbers).encode(), hashlib.sha256).digest()


def is_own(matching: MatchingRow) -> bool:
    """Whether the row is a message, or a memory with a match in its content."""
    return matching.row.place == "message" or (matching.row.place == "memory" and CONTENT in matching.columns)


def _match(matching: MatchingRow, copies: Mapping[int, Sequence[Copy]]) -> Match:
    place, chat, ref = matching.key
    copied = tuple(copies.get(ref, ())) if place == "memory" else ()
    return Match(
        place, chat, ref, matching.row.version, matching.degree, ticked=matching.degree == "exact", copies=copied
    )


def _listed(number: int, each: Shown, now: datetime, query: ForgetQuery | None) -> ForgetMatch:
    match, matching = each.match, each.rows[0]
    group = match.kind == GROUP
    return ForgetMatch.model_validate(
        {
            "id": number,
            "kind": "summary" if group else (matching.row.subject if match.kind == "memory" else "message"),
            "chat_id": None if group else matching.row.chat_id,
            "ref": match.ref,
            "text": _sentence(matching) if group else _text(matching),
            "at": now if group else matching.row.at,
            "match": "form" if match.degree == "part" else match.degree,
            "others": Counter(PLACES[x.row.place].counted for x in each.rows) if group else {},
            "goes": _goes(match, matching, query) if query is not None else (),
            "beside": _beside(match, matching, query) if query is not None else (),
            "ticked": match.ticked,
        }
    )


def _goes(match: Match, matching: MatchingRow, query: ForgetQuery) -> tuple[str, ...]:
    """The sentences that a message loses; empty if it loses all of its sentences or none."""
    if match.kind != "message" or matching.columns[0] != CONTENT:
        return ()
    text, source = matching.row.texts[CONTENT] or "", source_of(matching.row, CONTENT)
    # The sentences of other degrees belong to other matches of the message.
    others = {mark.degree for mark in query.marks(text, source)} - {match.degree}
    left, gone = redact(text, marks_of(query, accepted(match.degree) - others, source))
    return _shown_parts(gone, text) if left else ()


def _beside(match: Match, matching: MatchingRow, query: ForgetQuery) -> tuple[str, ...]:
    """The sentences of a memory that have no match. They are erased together with the memory."""
    if match.kind != "memory" or matching.columns[0] != CONTENT:
        return ()
    text = matching.row.texts[CONTENT] or ""
    marks = query.marks(text, source_of(matching.row, CONTENT))
    parts = ((part, touched(marks, start, start + len(part))) for start, part in whole_sentences(text))
    return _shown_parts([part for part, matches in parts if part.strip() and not matches], text)


def _shown_parts(parts: Sequence[str], text: str) -> tuple[str, ...]:
    masked = mask(text)
    return tuple(clipped(_masked_part(part.strip(), masked), 0) for part in parts[:MOST_SENTENCES])


def _masked_part(part: str, masked: str) -> str:
    """A part of a text without its secrets. `masked` is the whole text without secrets, because sometimes only words
    outside the part show that a word is a secret. `…` replaces each word that is not in `masked`."""
    return _WORD.sub(lambda word: word[0] if word[0] in masked else "…", mask(part))


def _sentence(matching: MatchingRow) -> str:
    """The sentence that an erasure removes from a derived text, clipped to a few words around the match."""
    column, at = matching.columns[0], matching.mark.start
    if column < 0:
        return _text(matching)
    for start, sentence in whole_sentences(matching.row.texts[column] or ""):
        if at < start + len(sentence):
            said, masked = sentence.strip(), mask(matching.row.texts[column] or "")
            return clipped(_masked_part(said, masked), _moved(said, at - start), EXAMPLE)
    return _text(matching)


def _text(matching: MatchingRow) -> str:
    column = matching.columns[0]
    columns = matching.row.texts
    text = (columns[column] or "") if column >= 0 else " ".join(strings(matching.row.body))
    if matching.row.place == "message" and column > CONTENT:
        return f"({[*WORDS.values()][column]}: {clipped(mask(text), 0)}) {clipped(mask(columns[CONTENT] or ''), 0)}"
    return clipped(mask(text), _moved(text, matching.mark.start))


def _moved(text: str, at: int) -> int:
    """The approximate position of `at` in the masked text."""
    return len(mask(text[:at]))


def clipped(text: str, at: int, most: int = SHOWN) -> str:
    """At most `most` characters of a text around a position."""
    if len(text) <= most:
        return text
    start = max(0, min(at - int(most * _BEFORE), len(text) - most))
    return f"{'…' * (start > 0)}{text[start : start + most]}{'…' * (start + most < len(text))}"


MOST = 20
"""Maximum number of related messages, and of related memories."""
_LOOKED_AT = 100
"""Maximum number of ticked matches for which related rows are read."""


async def unchanged(q: Queries, owner_id: int, shown: Sequence[Match]) -> list[tuple[TextRow, Match]]:
    """The rows of the shown messages that have not changed since the preview, each with its match."""
    by_key = {(match.chat_id, match.ref): match for match in shown if match.kind == "message"}
    rows = await texts.messages(q, owner_id, list(by_key))
    found = ((row, by_key[row.chat_id or 0, row.id]) for row in rows)
    return [(row, match) for row, match in found if row.version == match.version]


async def related(q: Queries, scope: ChatScope, shown: Sequence[Shown]) -> list[Shown]:
    """The memories and messages related to the ticked matches.

    For a memory, these are its source messages and the other memories from them. For a message, these are the memories
    learned from it, its neighbors, and the messages of the same minute.
    """
    ticked = [each.match for each in shown if each.match.ticked][:_LOOKED_AT]
    messages = [(match.chat_id, match.ref) for match in ticked if match.kind == "message"]
    known = [match.ref for each in shown if (match := each.match).kind == "memory"]
    owner = scope.owner_id
    sources = _sources(await forget.memories(q, owner, [m.ref for m in ticked if m.kind == "memory"]))
    resting = await forget.resting_on(q, owner, [*messages, *sources], known, MOST)
    said = await texts.messages(q, owner, sources[:MOST]) + await texts.neighbors(q, owner, messages, MOST)
    shown_messages = {(each.match.chat_id, each.match.ref) for each in shown if each.match.kind == "message"}
    rows = {(row.chat_id or 0, row.id): row for row in said}
    beside = [row for key, row in sorted(rows.items()) if key not in shown_messages]
    seen = [row for row in (*map(_row, resting), *beside) if scope.is_own or scope.sees(row.chat_id)]
    return [_offered(row) for row in seen if row.texts[0] and row.texts[0] != GONE]


def _sources(memories: Sequence[Statement]) -> list[tuple[int, int]]:
    return [(m.source_chat_id, source) for m in memories if m.source_chat_id is not None for source in m.source_ids]


def _row(memory: Statement) -> TextRow:
    place = (memory.chat_id, memory.id, memory.version)
    return TextRow("memory", *place, memory.kind, "", memory.valid_from, [memory.content], None)


def _offered(row: TextRow) -> Shown:
    chat = row.chat_id or 0 if row.place == "message" else 0
    match = Match(row.place, chat, row.id, row.version, "form", ticked=False)
    return Shown(match, (MatchingRow(row, "form", (0,), Mark(0, 0, "form")),))
