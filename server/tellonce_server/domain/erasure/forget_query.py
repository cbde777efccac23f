"""Queries that mark the parts of a text that must be forgotten. Pure."""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import starmap
from operator import attrgetter
from typing import Final, Literal, Protocol

from tellonce_server.core.limits import paced
from tellonce_server.core.scope import is_conversation
from tellonce_server.domain.erasure.targets import Sentence, Target, is_spaceless
from tellonce_server.domain.erasure.text_places import DERIVED, NAMES
from tellonce_text.folding import fold
from tellonce_text.literal import Literal as FoldedLiteral
from tellonce_text.literal import Span
from tellonce_text.sentences import whole_sentences
from tellonce_text.stemming import stem

Degree = Literal["exact", "number", "form", "part"]
"""Degrees of certainty of a match, most certain first. `exact`: the text itself. `number`: a short number with other
separators. `form`: other forms of the words. `part`: the characters inside a longer word."""
DEGREES: Final[tuple[Degree, ...]] = ("exact", "number", "form", "part")
MOST_SILENT: Final = 100_000
"""Maximum number of sentences without a match that a query caches."""
LEAST_SPACELESS: Final = 4
"""Applies to statements without content words, or in a script without spaces. They are searched for everywhere if they
have at least this many characters. A shorter one is found only in derived texts and in its source."""
MESSAGES: Final = ("message", "message_version")
"""The places that contain messages and their former versions."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A range of a text that must be forgotten."""

    start: int
    end: int
    degree: Degree


@dataclass(frozen=True, slots=True)
class Source:
    """The row and column of a text. Column 0 of a message is its content."""

    place: str
    chat_id: int | None
    id: int
    column: int = 0

    @property
    def is_metadata(self) -> bool:
        """Whether this is a column of a message other than the content."""
        return self.place == "message" and self.column > 0


class ForgetQuery(Protocol):
    @property
    def patterns(self) -> list[str]:
        """LIKE patterns in lower case, for texts without the characters in `tellonce_text.literal.UNREAD`. Every ASCII
        text with something to forget matches at least one pattern."""
        ...

    def marks(self, text: str, source: Source) -> list[Mark]:
        """The ranges that state something to forget, in order and without overlap."""
        ...


class LiteralQuery:
    """Searches for the given characters, also inside words."""

    def __init__(self, literal: FoldedLiteral) -> None:
        self._literal = literal

    @property
    def patterns(self) -> list[str]:
        return self._literal.likes

    def marks(self, text: str, source: Source) -> list[Mark]:
        return [_mark(span) for span in self._literal.spans(text)]


class TopicQuery:
    """Searches for the exact words of a topic, and for sentences that contain all words of the topic in any form."""

    def __init__(self, topic: str, literal: FoldedLiteral) -> None:
        self._literal = literal
        self._target = Target.topic(topic)
        self._silent: set[str] = set()

    @property
    def patterns(self) -> list[str]:
        likes = [] if self._target.is_empty else self._target.likes
        return [*self._literal.likes, *(like.replace("-", "%") for like in likes)]

    def marks(self, text: str, source: Source) -> list[Mark]:
        spans = self._literal.spans(text)
        found = [_mark(span) for span in spans if _is_whole(text, span)]
        forms = self._forms(text, found)
        return sorted((*found, *forms), key=attrgetter("start")) or [
            Mark(span.start, span.end, "part") for span in spans
        ]

    def _forms(self, text: str, found: Sequence[Mark]) -> list[Mark]:
        """The marks of the sentences that contain other forms of the words. Lines without a match are cached, because
        versions of a text share most lines."""
        forms: list[Mark] = []
        if self._target.is_empty:
            return forms
        start = 0
        for line in text.split("\n"):
            if line not in self._silent:
                # A line with an exact match needs no quick test. `_in_line` skips the sentences that match already.
                if touched(found, start, start + len(line)) or self._target.may_be_in(Sentence(line)):
                    forms += self._in_line(line, start, found)
                else:
                    self._silent.add(line)
            start += len(line) + 1
        return forms

    def _in_line(self, line: str, start: int, found: Sequence[Mark]) -> list[Mark]:
        parts = ((start + at, start + at + len(part), part) for at, part in whole_sentences(line))
        return [
            Mark(first, last, "form")
            for first, last, part in parts
            if not touched(found, first, last) and self._target.stated_in(Sentence(part))
        ]


@dataclass(frozen=True)
class Stated:
    """A statement to forget: a memory (`id`) with its quotes and source messages, or a sentence."""

    text: str
    id: int | None = None
    quotes: tuple[str, ...] = ()
    sources: frozenset[tuple[int, int]] = frozenset()


class StatementQuery:
    """Searches for statements. The match of a sentence is `exact` in two cases: the sentence is in a source of the
    statement, or it contains almost only the statement. Otherwise the match is `form`."""

    def __init__(self, stated: Iterable[Stated]) -> None:
        self._stated = tuple(stated)
        self._targets = [Target.statement(s.text) for s in paced(self._stated)]
        self._folded = [fold(s.text).strip() for s in self._stated]
        self._quotes = [tuple(filter(None, (fold(quote).strip() for quote in s.quotes))) for s in self._stated]
        self._distinctive_quotes = [tuple(filter(_is_distinctive, quotes)) for quotes in self._quotes]
        self._ids = frozenset(s.id for s in self._stated if s.id is not None)
        self._of_message: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
        for number, s in enumerate(self._stated):
            for message in s.sources:
                self._of_message[message].append(number)
        quoted = ((n, Target.statement(quote)) for n, quotes in enumerate(self._distinctive_quotes) for quote in quotes)
        self._wordings = list(starmap(_Wording, (*enumerate(self._targets), *quoted)))
        self._by_word: defaultdict[str, list[_Wording]] = defaultdict(list)
        for wording in self._wordings:
            for word in wording.target.words:
                self._by_word[word].append(wording)
        # A text without content words, or in a script without spaces, cannot be found by its words.
        self._wordless = frozenset(
            n for n, s in enumerate(self._stated) if not self._targets[n].words or is_spaceless(s.text)
        )
        self._spaceless = frozenset(
            n for n, quotes in enumerate(self._distinctive_quotes) if any(map(is_spaceless, quotes))
        )
        self._only_amounts = [wording for wording in self._wordings if wording.has_only_amounts]
        self._silent: set[str] = set()

    @property
    def patterns(self) -> list[str]:
        return ["%"] if self._stated else []

    def marks(self, text: str, source: Source) -> list[Mark]:
        if source.place == "memory" and source.column == 0:
            is_meant = source.id in self._ids
            repeats = is_meant or self._degree(text, source) == "exact"
            return [Mark(0, len(text), "exact" if is_meant else "form")] if repeats else []
        if source.is_metadata:
            return []
        found: list[Mark] = []
        for start, part in whole_sentences(text):
            degree = self._degree(part, source)
            if degree is not None:
                found.append(Mark(start, start + len(part), degree))
        return found

    def _degree(self, sentence: str, source: Source) -> Degree | None:
        if self._is_quoted(sentence, source):
            return "exact"
        if sentence in self._silent:
            return None
        read = Sentence(sentence)
        candidates = self._candidates(read)
        if not candidates and len(self._silent) < MOST_SILENT:
            # Sentences without candidates are cached, because an erasure reads every text several times.
            self._silent.add(sentence)
        degree: Degree | None = None
        folded = fold(sentence) if candidates else ""
        for number in candidates:
            if self._is_same(number, read, folded, source):
                return "exact"
            if self._targets[number].words and self._targets[number].most_in(read.words):
                degree = "form"
        return degree

    def _is_quoted(self, sentence: str, source: Source) -> bool:
        """Whether the sentence belongs to a source message of a statement and supports it: the sentence contains a
        quote of the statement, or the quote contains the sentence."""
        own = self._of_message.get((source.chat_id or 0, source.id)) if source.place in MESSAGES else None
        if own is None:
            return False
        said = fold(sentence).strip()
        return any(quote in said or said in quote for number in own for quote in self._quotes[number])

    def _is_same(self, number: int, read: Sentence, folded: str, source: Source) -> bool:
        """Whether the sentence makes the statement. The same words do not prove this: `lives in Berlin` can be about
        the user's brother."""
        target, words, said = self._targets[number], read.words, folded.strip()
        if any(quote in said for quote in self._distinctive_quotes[number]):
            return True
        is_source = source.place in MESSAGES and (source.chat_id, source.id) in self._stated[number].sources
        lenient = source.place in DERIVED or is_source
        wording = self._folded[number]
        if (
            wording
            and wording in folded
            and (lenient or (number in self._wordless and len(wording) >= LEAST_SPACELESS))
        ):
            return True
        return target.is_all_of(words) or (lenient and bool(target.words) and target.most_in(words))

    def _candidates(self, read: Sentence) -> set[int]:
        """The numbers of the statements to compare with the sentence. The sentence must contain two words of the
        statement or of a quote. One word is enough if the statement or the quote has only one. Statements that cannot
        be found by words are always compared."""
        stems = {stem(part) for word in read.tokens for part in (word, *word.split("-"))}
        shared = Counter(wording for word in stems for wording in self._by_word.get(word, ()))
        close = (w.number for w, count in shared.items() if count + w.hidden_in(read) >= min(2, len(w.target.words)))
        amounts = (w.number for w in self._only_amounts if w.hidden_in(read))
        return {*close, *amounts, *self._wordless, *self._spaceless}


def _is_distinctive(quote: str) -> bool:
    """Whether a quote can be recognized outside its message. An answer such as `yes` cannot."""
    return len(quote) >= LEAST_SPACELESS if is_spaceless(quote) else len(Target.statement(quote).words) > 1


@dataclass(frozen=True, eq=False)
class _Wording:
    """The words of a statement or of one of its quotes. `number` is the statement's number in the query."""

    number: int
    target: Target

    @cached_property
    def _dates(self) -> int:
        return sum(":" in word for word in self.target.words)

    @cached_property
    def _amounts(self) -> int:
        return sum(word[0].isdigit() or ":" in word for word in self.target.words)

    @property
    def has_only_amounts(self) -> bool:
        return 0 < self._amounts == len(self.target.words)

    def hidden_in(self, sentence: Sentence) -> int:
        """How many of the wording's dates and numbers the sentence can contain in another form, such as `two` for
        `2`."""
        return self._amounts if sentence.may_count_otherwise else self._dates


class RowQuery:
    """Matches the given messages as a whole. In other texts, matches the sentences that repeat one of these messages or
    one of the given memories."""

    def __init__(self, messages: Iterable[tuple[int, int]], stated: Sequence[Stated]) -> None:
        self._messages = frozenset(messages)
        self._statements = StatementQuery(stated)

    @property
    def patterns(self) -> list[str]:
        return ["%"]

    def marks(self, text: str, source: Source) -> list[Mark]:
        if source.place in (*MESSAGES, "routine"):
            meant = (source.chat_id, source.id) in self._messages and not source.is_metadata
            return [Mark(0, len(text), "exact")] if meant and text else []
        return self._statements.marks(text, source)


class EverythingQuery(RowQuery):
    """Matches the given messages with all their columns, the given memories, all derived texts, and the names of
    conversations and their threads. The names of channels and of Telegram chats stay.

    With `stated`, only the texts of one chat are erased. Texts that belong to no chat, such as the profile, are then
    searched for these statements.
    """

    def __init__(
        self, messages: Iterable[tuple[int, int]], memories: Iterable[int], stated: Sequence[Stated] | None = None
    ) -> None:
        super().__init__(messages, stated or ())
        self._memories = frozenset(memories)
        self._of_one_chat = stated is not None

    def marks(self, text: str, source: Source) -> list[Mark]:
        if self._of_one_chat and source.chat_id is None and source.place != "memory":
            return self._statements.marks(text, source)
        if source.place in NAMES:
            meant = source.place != "channel" and source.chat_id is not None and is_conversation(source.chat_id)
        elif source.place in (*MESSAGES, "routine"):
            meant = (source.chat_id, source.id) in self._messages
        else:
            meant = source.place != "memory" or source.id in self._memories
        return [Mark(0, len(text), "exact")] if meant and text else []


class SourceQuery:
    """Matches the whole texts of these places."""

    def __init__(self, sources: Iterable[Source]) -> None:
        self._sources = frozenset(sources)

    @property
    def patterns(self) -> list[str]:
        return ["%"] if self._sources else []

    def marks(self, text: str, source: Source) -> list[Mark]:
        return [Mark(0, len(text), "exact")] if source in self._sources else []


def touched(marks: Sequence[Mark], start: int, end: int) -> bool:
    """Whether one of the marks overlaps the range. The marks are ordered and disjoint."""
    first = bisect_right(marks, start, key=attrgetter("end"))
    return first < len(marks) and marks[first].start < end


def accepted(degree: Degree) -> frozenset[Degree]:
    """The degrees that are at least as certain as `degree`."""
    return frozenset(DEGREES[: DEGREES.index(degree) + 1])


def _mark(span: Span) -> Mark:
    return Mark(span.start, span.end, span.certainty)


def _is_whole(text: str, span: Span) -> bool:
    """Whether the span consists of whole words and numbers. In `catalog`, `cat` is not whole. In scripts without
    spaces, every span is whole."""
    return _ends(text[span.start], text[span.start - 1 : span.start]) and _ends(
        text[span.end - 1], text[span.end : span.end + 1]
    )


def _ends(inside: str, outside: str) -> bool:
    if not (inside.isalnum() and outside.isalnum()) or inside.isdigit() != outside.isdigit():
        return True
    return is_spaceless(inside) or is_spaceless(outside)
