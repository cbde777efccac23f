"""Recognizes forgotten statements, sentences of messages and names. It compares keyed hashes. The forgotten texts are
not stored."""

import hmac
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache

from tellonce_server.core.limits import offloaded
from tellonce_server.store import tombstones
from tellonce_server.store.database import Queries
from tellonce_server.store.tombstones import Forgotten, Tombstone
from tellonce_text.claims import claims
from tellonce_text.folding import fold
from tellonce_text.sentences import placed_runs, sentences

SAME = 0.75
"""A text repeats a forgotten statement if it contains at least this share of the statement's words. It also repeats the
statement if this share of its own words is in the statement (see `covers`)."""

TELLING = 5
"""Minimum letters and digits of a piece of a sentence whose hash is stored."""

FORGOTTEN_NAME = "forgotten:"
"""The prefix of the names that replace forgotten names."""

_MARKUP = re.compile(r"[*_~'\\]+")
_NO_WORD = re.compile(r"\W+")

Mark = tuple[bytes, frozenset[int]]
"""The hash of a statement and the hashes of its content words."""

Claims = tuple[bytes, ...]
"""The possible hashes of a text that is marked as forgotten."""


class Tombstones:
    """The hashes depend on `key`, which never leaves the server. Without it, nobody can test whether a guessed text was
    forgotten."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def message_claims(self, text: str, gone: Sequence[str]) -> list[bytes]:
        """The hashes of a message's text, of the sentences erased from it (`gone`) and of their pieces. An edit can
        join the end of a sentence with other words, so the pieces are recognized too."""
        pieces = (piece for sentence in gone for piece in sentences(sentence) if _is_telling(piece))
        said = [text, *(part.strip() for part in (*gone, *pieces))]
        return [self._message(part) for part in dict.fromkeys(said)]

    async def add_names(self, q: Queries, owner_id: int, names: Sequence[str], now: datetime) -> None:
        """Forget names that clients gave to conversations, threads, channels and speakers, and their message ids."""
        new: list[Mark] = [(self._name(name), frozenset()) for name in dict.fromkeys(names)]
        await tombstones.add(q, owner_id, new, now)

    async def forgotten_names(self, q: Queries, owner_id: int, names: Sequence[str]) -> dict[str, str]:
        """The forgotten names among `names`, each with its replacement. A client that uses a forgotten name again
        reaches the same thread."""
        claims = {name: self._name(name) for name in names}
        known = await tombstones.known(q, owner_id, list(claims.values())) if claims else frozenset[bytes]()
        return {name: self.replacement(name) for name, claim in claims.items() if claim in known}

    def replacement(self, name: str) -> str:
        """The name that replaces a forgotten name."""
        return f"{FORGOTTEN_NAME}{self._name(name)[:8].hex()}"

    def forgotten_at(self, name: str, marks: Mapping[bytes, datetime]) -> datetime | None:
        """The time at which the name was forgotten, or None."""
        return marks.get(self._name(name))

    async def without_forgotten(self, q: Queries, owner_id: int, chat_id: int, number: int, text: str) -> str | None:
        """The text without the sentences that were forgotten in this message. None if the whole text was forgotten. An
        import can contain such a text from before an erasure."""

        def hashes() -> dict[str, Claims]:
            return {part: self._claims(chat_id, number, part) for part in dict.fromkeys(_parts(text))}

        claims = await offloaded(len(text), hashes)
        said = [claim for of_part in claims.values() for claim in of_part]
        known = await tombstones.known(q, owner_id, said, (chat_id, number))
        return _without(text, lambda part: not known.isdisjoint(claims[part]))

    def without_later_forgotten(self, text: str, said_at: datetime, marks: Mapping[bytes, datetime]) -> str:
        """The text of an old message without the sentences that were forgotten after it was sent."""

        @cache  # a text can repeat a short piece very often
        def gone(part: str) -> bool:
            claims = *self._both(part), self._hash(f"m:{part}")
            return any(said_at < marks.get(claim, said_at) for claim in claims)

        return _without(text, gone) or ""

    def forgotten_in(self, chat_id: int, number: int, text: str, marks: Forgotten) -> list[str]:
        """The sentences of the message that are marked as forgotten."""
        of_message = marks.get((chat_id, number), frozenset()) | marks.get(None, frozenset())
        runs = [run for _, run in placed_runs(text) if "".join(run).strip()]

        @cache  # a text can repeat a short piece very often
        def gone(part: str) -> bool:
            return not of_message.isdisjoint(self._claims(chat_id, number, part.strip()))

        def is_marked(run: Sequence[str]) -> bool:
            return gone("".join(run)) or (len(run) > 1 and any(map(gone, run)))

        said = ["".join(run).strip() for run in runs]
        found = [sentence for sentence, run in zip(said, runs, strict=True) if is_marked(run)]
        return found or ([] if of_message.isdisjoint(self._claims(chat_id, number, text)) else said)

    def mark(self, text: str) -> Mark:
        """The hash of a statement and the hashes of its content words."""
        words = _words(text)
        return self._hash(" ".join(words)), frozenset(self._word(word) for word in words)

    def covering(self, tombstones: Sequence[Tombstone], text: str) -> list[Tombstone]:
        """The tombstones of the forgotten statements that the text repeats."""
        if not tombstones:
            return []
        said = self.mark(text)
        return [tombstone for tombstone in tombstones if covers(tombstone, said)]

    def _claims(self, chat_id: int, number: int, text: str) -> Claims:
        """All possible hashes of the text in this message. A forgotten text was stored under one of these hashes. The
        first is the current hash. The others are the hashes of former program versions. Former versions kept the
        punctuation, used the unchanged text, or included the numbers of the chat and the message (before migration
        0062)."""
        return *self._both(text), self._hash(f"m:{text}"), self._hash(f"m:{chat_id}:{number}:{text}")

    def _message(self, text: str) -> bytes:
        """The hash of the words in their order. Markup and punctuation are left out, because another client may add or
        drop them."""
        return self._both(text)[0]

    def _both(self, text: str) -> tuple[bytes, bytes]:
        """The hash of the words, and the hash of the text with its punctuation. If the text has no words, both values
        are the second hash."""
        folded = fold(text)
        whole = self._hash(f"f:{' '.join(folded.split())}")
        words = _NO_WORD.sub(" ", _MARKUP.sub("", folded)).split()
        return self._hash(f"s:{' '.join(words)}") if words else whole, whole

    def _name(self, name: str) -> bytes:
        return self._hash(f"n:{name}")

    def _hash(self, text: str) -> bytes:
        return hmac.digest(self._key, text.encode(), "sha256")

    def _word(self, word: str) -> int:
        """The hash of a word in 63 bits, which fit a bigint."""
        return int.from_bytes(self._hash("w:" + word)[:8], "big") >> 1


def covers(tombstone: Tombstone, said: Mark) -> bool:
    """Whether the hashed text (`said`) repeats the tombstone's forgotten statement."""
    claim, words = said
    if hmac.compare_digest(claim, tombstone.claim):
        return True
    if len(tombstone.words) < 2 or not words:
        return False
    shared = len(words & tombstone.words)
    return shared >= SAME * len(tombstone.words) or (shared >= 2 and shared >= SAME * len(words))


def _is_telling(piece: str) -> bool:
    """Whether the hash of the piece identifies it. Pieces such as `12.` or `Dr.` are in many sentences."""
    return sum(map(str.isalnum, piece)) >= TELLING


def _groups(run: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Groups of pieces of a sentence. Each group has one longer piece and the short pieces beside it, and is forgotten
    as a whole. If there are only short pieces, each of them is a group."""
    if not any(map(_is_telling, run)):
        return [(piece, [piece]) for piece in run]
    groups: list[tuple[str, list[str]]] = []
    for piece in run:
        if groups and not _is_telling(piece):
            groups[-1][1].append(piece)
        elif groups and not _is_telling(groups[-1][0]):
            groups[-1] = (piece, [*groups[-1][1], piece])
        else:
            groups.append((piece, [piece]))
    return groups


def _parts(text: str) -> Iterator[str]:
    """Yield the text, its sentences, and the pieces of its sentences."""
    yield text
    for _, run in placed_runs(text):
        yield "".join(run).strip()
        if len(run) > 1:
            yield from (piece.strip() for piece in run)


def _without(text: str, gone: Callable[[str], bool]) -> str | None:
    """The text without its forgotten sentences and pieces; None if the whole text is forgotten."""
    if gone(text):
        return None
    kept: list[str] = []
    for _, run in placed_runs(text):
        if not gone("".join(run).strip()):
            kept += _left(run, gone) if len(run) > 1 else run
    left = "".join(kept)
    return text if left == text else left.strip()


def _left(run: Sequence[str], gone: Callable[[str], bool]) -> list[str]:
    """The pieces of a sentence that are not forgotten."""
    groups = [(telling, group) for telling, group in _groups(run) if not gone(telling.strip())]
    return [piece for telling, group in groups for piece in group if piece is telling or not gone(piece.strip())]


def _words(text: str) -> list[str]:
    said = claims(text)
    return sorted({*said.stems, *said.numbers, *said.dates})
