"""Selects the sentences of a long message that best match a question. Pure."""

from collections import Counter

from tellonce_text.claims import content_stems
from tellonce_text.sentences import ends_as_question, split_sentences
from tellonce_text.tokens import clip, estimate

WHOLE = 160
"""Maximum tokens of a message that is shown whole."""

SHORTEST = 45
"""Maximum tokens of a long reply in the smallest contexts."""

LINE = 60
"""Maximum tokens of each summary in a list of summaries about a topic."""

WHOLE_ROUTINE = 500
"""Maximum tokens of a routine's message that is shown whole. The window shows only its summary."""

BEFORE, AFTER = 0.5, 0.25
"""Weights of the words in the previous and in the next sentence, when a sentence is scored."""

ASKING = 0.5
"""Factor for the score of a sentence that is a question."""


def excerpt(text: str, tokens: int, query: str, *, whole: int = WHOLE) -> str:
    """The text if it has at most `whole` tokens, otherwise its best sentences in order, with "…" at omissions.

    If `whole` is less than WHOLE, sentences that do not fit the question are used only if none fits.
    """
    if tokens <= whole:
        return text
    sentences = _marked_sentences(text)
    if not sentences:
        return ""
    fits = _fits(sentences, query)
    ranked = sorted(range(len(sentences)), key=lambda i: (-fits[i], i))
    if whole < WHOLE and any(fits):
        ranked = [i for i in ranked if fits[i]]
    chosen: list[int] = []
    room = min(whole, WHOLE)
    for index in ranked:
        price = estimate(sentences[index])
        if price <= room:
            chosen.append(index)
            room -= price
    return _joined(sentences, sorted(chosen)) if chosen else clip(sentences[ranked[0]], room)[0]


def _marked_sentences(text: str) -> list[str]:
    """The sentences. A piece without a letter, such as the number of a list item, belongs to the next sentence."""
    out: list[str] = []
    mark = ""
    for part in split_sentences(text):
        if any(letter.isalpha() for letter in part):
            out.append(f"{mark}{part}")
            mark = ""
        else:
            mark += f"{part} "
    return [*out, mark.strip()] if mark else out


def _fits(sentences: list[str], query: str) -> list[float]:
    """A score for each sentence: how many words of the question are in the sentence and in its neighbors. Rare words
    count more. Sentences that are questions count less."""
    wanted = set(content_stems(query))
    words = [wanted & set(content_stems(sentence)) for sentence in sentences]
    count = Counter(word for one in words for word in one)
    own = [sum(1 / count[word] for word in one) for one in words]
    beside = [BEFORE * before + AFTER * after for before, after in zip([0.0, *own[:-1]], [*own[1:], 0.0], strict=True)]
    asking = [ASKING if ends_as_question(sentence) else 1.0 for sentence in sentences]
    return [part * (one + more) for part, one, more in zip(asking, own, beside, strict=True)]


def excerpts_of(total: int) -> int:
    """Maximum tokens of a long reply in a context: ten such replies fit into a quarter of the context."""
    return max(SHORTEST, min(WHOLE, total // 40))


def _joined(sentences: list[str], chosen: list[int]) -> str:
    parts: list[str] = []
    last = -1
    for index in chosen:
        parts += ["…"] if index != last + 1 else []
        parts.append(sentences[index])
        last = index
    return " ".join([*parts, *(["…"] if last != len(sentences) - 1 else [])])
