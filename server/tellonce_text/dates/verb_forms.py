"""Recognizes verb forms that show the past: German preterites and participles, and English participles. Also recognizes
forms that do not show the past, such as nouns of Romance languages that look like past verbs."""

from typing import Final

from tellonce_text.dates.lexicon import endings, strong_preterites
from tellonce_text.dates.readings import Direction
from tellonce_text.dates.tokens import Line, Token

_INSEPARABLE: Final = ("be", "er", "emp", "ent", "ver", "zer", "miss", "unter", "über", "hinter", "wider")
"""German verbs with these prefixes have participles without `ge`."""
_PREFIXES: Final = tuple(
    "an ab auf aus ein mit nach vor zu zurück um her hin weg ver zer be ge ent er miss über unter".split()
)
_SHORTEST: Final = 4
_NO_PRONOUNS: Final = {
    "es": ("el",),
    "it": ("i", "il"),
    "fr": ("mon", "ma", "mes", "ton", "ta", "tes", "son", "sa", "ses", "notre", "votre", "un", "une", "des", "du"),
}
"""A noun follows these words. They are articles and possessives that are never pronouns."""
_INFINITIVES: Final = {"es": ("ar", "er", "ir"), "pt": ("ar", "er", "ir")}
_LONGEST_BRACKET: Final = 15  # tokens between a German auxiliary and its participle
_VERBAL: Final = frozenset({"tense_arranged", "tense_committed", "naming", "shifted"})


def is_name(line: Line, index: int) -> bool:
    """Whether the word has a capital letter, although it does not begin its sentence."""
    return line[index].capital and index != line.sentences[index][0]


def is_foreign_participle(line: Line, index: int) -> bool:
    """Whether the word has the form of a participle in a language other than English."""
    token = line[index]
    if line.language == "de":
        return is_participle(token)
    if any(line[at].has(tag) for at in (index - 1, index) for tag in ("article", "one", "number")):
        return False
    known = token.has("tense_participle") or (token.has("tense_past") and not token.has("tense_perfect"))
    shown = len(token.word) >= _SHORTEST and token.word.endswith(endings(line.language, "participle"))
    return known or (shown and not token.tags.keys() - {"step"} and not is_name(line, index))


def is_participle(token: Token) -> bool:
    """Whether the word has the form of a German participle."""
    word = token.word
    formed = "ge" in word[:-3] or word.startswith(_INSEPARABLE) or word.endswith("iert")
    return formed and word.endswith(("t", "en")) and not token.capital and not token.has("tense_stative")


def is_adjective(line: Line, index: int) -> bool:
    """Whether the German word is between an ordinary word and a noun, as in `treffe ich alte Freunde`."""
    before, after = line[index - 1], line[index + 1]
    return after.kind == "word" and after.capital and before.kind == "word" and before.tags.keys() <= {"tense_subject"}


def is_preterite(line: Line, index: int) -> bool:
    """Whether the word is a German verb in the past tense. A strong preterite can have a prefix. A weak preterite needs
    a pronoun that excludes the present tense: `es regnete`, but not `ich warte`."""
    word = line[index].word
    if word.endswith(("te", "ten")) and len(word) > _SHORTEST:
        return any(line[at].has("tense_person") for at in (index - 1, index + 1)) and word.endswith("te")
    if word.endswith("en"):  # with a prefix, it may be a participle: `verboten`
        return word.removesuffix("en") in strong_preterites()
    return is_strong(line[index])


def is_strong(token: Token) -> bool:
    """Whether the word has the form of a German strong preterite, with or without a prefix."""
    bare = token.word.removesuffix("en")
    return not strong_preterites().isdisjoint((bare, *(bare.removeprefix(prefix) for prefix in _PREFIXES)))


def is_led_noun(line: Line, index: int) -> bool:
    """Whether a preposition, or an article that cannot be a pronoun, comes before the word, as in `ho il dentista`."""
    before = line[index - 1]
    if before.word in _NO_PRONOUNS.get(line.language, ()) or is_named_act(line, index):
        return True
    if line.language == "fr" and before.has("article") and before.word != "l":
        return True
    return line.language in {"es", "it", "pt"} and any(before.has(tag) for tag in ("one", "on", "inside", "own"))


def is_named_act(line: Line, index: int) -> bool:
    """Whether the word has the form of a participle but names a thing, as in `la rentrée` or `la grigliata`. A
    participle never directly follows an article or a possessive."""
    shown = line[index].word.endswith(endings(line.language, "participle"))
    return shown and (line[index - 1].has("article") or line[index - 1].has("own"))


def is_subordinate(line: Line, index: int) -> bool:
    """Whether the word begins a clause that has its own verb. A verb before such a word says nothing about the days in
    this clause: `dijo que se casa el 30`. False for `tuve que ir el 30`."""
    if line.language == "pt" and line[index].word == "se":  # elsewhere, `se` is reflexive: `ela se casou`
        return line[index - 1].word.endswith(("ou", "aram"))
    return line[index].has("subordinate") and not line[index + 1].word.endswith(_INFINITIVES.get(line.language, ()))


def is_condition(line: Line, index: int) -> bool:
    """Whether the verb is in a condition, as in `if you slept well`, or in a wish, as in `хотелось бы`; such a verb does
    not say what happened."""
    return line[index + 1].word == "бы" or any(line[at].has("condition") for at in range(index - 3, index))


def is_state(line: Line, index: int) -> bool:
    """Whether the word is a participle after a verb in the present tense, as in `they are already gone`."""
    near = (index - 1, index - 2) if line[index - 1].kind == "word" and not line[index - 1].tags else (index - 1,)
    return any(line[at].has("tense_be") for at in near)


def is_whole_perfect(line: Line, index: int) -> bool:
    """Whether a participle follows the auxiliary, as in `hat … gekauft`. Without a participle, the verb is in the
    present tense (`hat offen`)."""
    until = min(line.sentences[index][1], index + (_LONGEST_BRACKET if line.language == "de" else 5))
    return any(is_foreign_participle(line, at) for at in range(index + 1, until))


def is_contracted(line: Line, index: int) -> bool:
    """Whether the participle follows `'s`, as in `the parcel's delivered`. There, `'s` may mean "has been" or "is to
    be"."""
    before = line[index - 1]
    return before.word.endswith("'s") and not before.tags and is_english_participle(line[index])


def by_auxiliary(line: Line, index: int) -> Direction | None:
    """The direction that an English participle and the auxiliary before it indicate: `has paid`, `is being paid`,
    `paid`."""
    if is_contracted(line, index):
        return None
    for back in range(index - 1, max(-1, index - 4), -1):
        token = line[back]
        if token.word in {"being", "having"}:
            return None if line[back - 1].has("tense_past") else "future"
        if token.has("tense_have"):
            return "past"
        if token.has("tense_be"):
            return "future"
        if token.kind != "word" or token.has("tense_past"):
            break
    return "past"


def is_english_adjective(line: Line, index: int) -> bool:
    """Whether the word is not a verb. Directly after a definite article, it is taken as a noun (`the deed`). After an
    indefinite article, a possessive or a preposition, it is taken as an adjective if a noun follows (`a folded
    book`)."""
    before, after = line[index - 1], line[index + 1]
    led = any(before.has(tag) for tag in ("one", "own", "on", "of", "for", "in")) or before.word == "with"
    return before.has("article") or (led and after.kind == "word" and not after.tags)


def is_english_participle(token: Token) -> bool:
    """Whether the word ends in -ed, or is a verb of arranging such as `set`. False for an adjective such as `tired`."""
    formed = len(token.word) > 3 and token.word.endswith("ed") and not token.tags.keys() - _VERBAL
    return (token.has("tense_arranged") or formed) and not token.has("tense_stative")
