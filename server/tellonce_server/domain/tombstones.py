"""Recognizes forgotten statements, forgotten sentences of messages, and forgotten names. This module compares keyed
hashes. The forgotten texts themselves are not stored."""

import hashlib
import hmac
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial

from tellonce_server.core.limits import offloaded
from tellonce_server.store import tombstones
from tellonce_server.store.database import Queries
from tellonce_server.store.tombstones import Forgotten, Tombstone
from tellonce_text.claims import claims
from tellonce_text.folding import fold
from tellonce_text.sentences import placed_runs

SAME = 0.75
"""Minimum share of common words between a forgotten statement and a repetition. The share must be reached in only one
of the two statements (see `covers`)."""

FORGOTTEN_NAME = "forgotten:"
"""The prefix of the names that replace forgotten names."""

_MARKUP = re.compile(r"[*_~'\\]+")
_NO_WORD = re.compile(r"\W+")

Mark = tuple[bytes, frozenset[int]]
"""The hash of a statement and the hashes of its content words."""

Claims = tuple[bytes, ...]
"""The possible hashes of a text that is marked as forgotten."""


class Tombstones:
    """Computes and compares the hashes. The hashes depend on `key`, which never leaves the server. Without the key,
    nobody can test whether a guessed text was forgotten."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def message_claims(self, text: str, gone: Sequence[str]) -> list[bytes]:
        """The hashes of a message's text and of the sentences erased from it (`gone`). The hashes identify the text and
        the sentences if a client sends them again."""
        said = [text, *(sentence.strip() for sentence in gone)]
        return [self._message(part) for part in dict.fromkeys(said)]

    async def add_names(self, q: Queries, owner_id: int, names: Sequence[str], now: datetime) -> None:
        """Add the names to the forgotten names. Clients gave these names to conversations, threads, channels and
        speakers. Message ids of clients are names too."""
        new: list[Mark] = [(self._name(name), frozenset()) for name in dict.fromkeys(names)]
        await tombstones.add(q, owner_id, new, now)

    async def forgotten_names(self, q: Queries, owner_id: int, names: Sequence[str]) -> dict[str, str]:
        """Return the forgotten names among `names`, each with its replacement. A replacement is computed from the hash
        of the name. A client that uses a forgotten name again therefore reaches the same thread."""
        claims = {name: self._name(name) for name in names}
        known = await tombstones.known(q, owner_id, list(claims.values())) if claims else frozenset[bytes]()
        return {name: self.replacement(name) for name, claim in claims.items() if claim in known}

    def replacement(self, name: str) -> str:
        """The name that replaces the given name if the given name is forgotten."""
        return f"{FORGOTTEN_NAME}{self._name(name)[:8].hex()}"

    def forgotten_at(self, name: str, marks: Mapping[bytes, datetime]) -> datetime | None:
        """The time at which the name was forgotten; None if the name was not forgotten."""
        return marks.get(self._name(name))

    async def without_forgotten(self, q: Queries, owner_id: int, chat_id: int, number: int, text: str) -> str | None:
        """The text without the sentences that were forgotten in this message. An edit can contain such a sentence
        again. Returns None if the whole text was forgotten in this message. An example is the text that the message had
        before an erasure."""
        whole, parts = await offloaded(len(text), partial(self._parts, chat_id, number, text))
        claims = [*whole, *(claim for _, of_part in parts for claim in of_part)]
        known = await tombstones.known(q, owner_id, claims, (chat_id, number))
        if not known.isdisjoint(whole):
            return None
        kept = [part for part, of_part in parts if known.isdisjoint(of_part)]
        return text if len(kept) == len(parts) else "".join(kept).strip()

    def _parts(self, chat_id: int, number: int, text: str) -> tuple[Claims, list[tuple[str, Claims]]]:
        """Return the hashes of the whole text. Also return each piece of the text with the hashes of the piece and the
        hashes of its sentence. Former program versions stored hashes of pieces."""
        parts: list[tuple[str, Claims]] = []
        for _, run in placed_runs(text):
            of_sentence = self._claims(chat_id, number, "".join(run).strip())
            several = run if len(run) > 1 else ()
            parts += [(part, (*of_sentence, *self._claims(chat_id, number, part.strip()))) for part in several]
            parts += [] if several else [(run[0], of_sentence)]
        return self._claims(chat_id, number, text), parts

    def without_later_forgotten(self, text: str, said_at: datetime, marks: Mapping[bytes, datetime]) -> str:
        """Return the text of an old message without the sentences that were forgotten after the message was sent."""

        def gone(part: str) -> bool:
            claims = self._message(part), self._folded(part), self._hash(f"m:{part}")
            return any(said_at < marks.get(claim, said_at) for claim in claims)

        kept: list[str] = []
        for _, run in () if gone(text) else placed_runs(text):
            if not gone("".join(run).strip()):
                kept += [part for part in run if not gone(part.strip())] if len(run) > 1 else run
        return text if kept and "".join(kept) == text else "".join(kept).strip()

    def forgotten_in(self, chat_id: int, number: int, text: str, marks: Forgotten) -> list[str]:
        """The sentences of the message that are marked as forgotten."""
        of_message = marks.get((chat_id, number), frozenset()) | marks.get(None, frozenset())
        runs = [run for _, run in placed_runs(text) if "".join(run).strip()]

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
        """Return the tombstones of the forgotten statements that the text repeats."""
        if not tombstones:
            return []
        said = self.mark(text)
        return [tombstone for tombstone in tombstones if covers(tombstone, said)]

    def _claims(self, chat_id: int, number: int, text: str) -> Claims:
        """All possible hashes of the text in this message. A forgotten text was stored under one of these hashes. The
        first is the current hash. The others are the hashes of former program versions. Former versions kept the
        punctuation, used the unchanged text, or included the numbers of the chat and the message (before migration
        0062)."""
        former = self._folded(text), self._hash(f"m:{text}"), self._hash(f"m:{chat_id}:{number}:{text}")
        return self._message(text), *former

    def _message(self, text: str) -> bytes:
        """The hash of the words in their order. Markup and punctuation are left out, because another client may add or
        drop them."""
        words = _NO_WORD.sub(" ", _MARKUP.sub("", fold(text))).split()
        return self._hash(f"s:{' '.join(words)}") if words else self._folded(text)

    def _folded(self, text: str) -> bytes:
        return self._hash(f"f:{' '.join(fold(text).split())}")

    def _name(self, name: str) -> bytes:
        return self._hash(f"n:{name}")

    def _hash(self, text: str) -> bytes:
        return hmac.new(self._key, text.encode(), hashlib.sha256).digest()

    def _word(self, word: str) -> int:
        """The hash of a word in 63 bits, which fit a bigint."""
        return int.from_bytes(self._hash("w:" + word)[:8], "big") >> 1


def covers(tombstone: Tombstone, said: Mark) -> bool:
    """Whether the hashed text (`said`) repeats the forgotten statement of the tombstone."""
    claim, words = said
    if hmac.compare_digest(claim, tombstone.claim):
        return True
    if len(tombstone.words) < 2 or not words:
        return False
    shared = len(words & tombstone.words)
    return shared >= SAME * len(tombstone.words) or (shared >= 2 and shared >= SAME * len(words))


def _words(text: str) -> list[str]:
    said = claims(text)
    return sorted({*said.stems, *said.numbers, *said.dates})
