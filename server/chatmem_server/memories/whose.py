"""Whose a statement is: a fact about the user rests on what the user says of themselves, not of others or for them; pure."""

import re
from typing import Final

from chatmem_server.memories.claims import claims, tokens_of
from chatmem_server.text.stemming import stem
from chatmem_server.text.synonyms import PERSONS, canonical

_SAYS: Final = (
    r"(?:says?|said|thinks?|thought|believes?|claims?|claimed|swears?|reckons?|writes|wrote|texted|mentioned|insists?)"
)
# "My friend says …", "She told me that …", "According to Tom, …", "The song goes: …": what follows is somebody else's.
_REPORTED: Final = re.compile(
    rf"^(?:(?:and|but|so|well|anyway|yesterday|today)[, ]+)*"
    rf"(?:(?!(?:i|we|you|let|as)\b)(?:[\w'’-]+ ){{1,4}}(?:{_SAYS}\b|(?:told|tells) (?:me|us|him|her|them)\b(?! to\b)|(?:goes|reads)(?=[:,]))"
    rf"|according to (?!(?:me|us)\b)[^,]{{1,40}},)[:, ]*(?:that )?(?P<claim>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_CLAUSE: Final = re.compile(r"[,;:]\s|\s(?:but|because|and|so|although|since|while|whereas|that)\s|\s[–—-]\s|\n")
_FIRST: Final = re.compile(r"\b(?:i|i['’](?:m|ve|d|ll)|me|myself|mine|we|we['’]\w+|us|ours)\b", re.IGNORECASE)
_OTHERS: Final = frozenset("he she they he's she's they're customer client user guy girl man woman people".split())
_DETERMINERS: Final = frozenset("my our his her their the a an this that one some".split())
_REACH: Final = 3
"""Words into a clause at which its subject stands at the latest."""
_BEING: Final = frozenset("is was are were has have had will".split())
_IS_VERB: Final = re.compile(r"(?:is|was|has|had|will|lives|\w{2,}s)$")


def attributed(item: str, quote: str, sentence: str) -> str:
    """Why the sentence, which holds the quote, does not say the item of the user; empty where it does.

    An item that speaks of another person is theirs to be true of, and passes.
    """
    if _about_another(item):
        return ""
    reported = _REPORTED.search(sentence)
    if reported and _flat(quote) in _flat(sentence) and _shared(item, reported["claim"]):
        return "the sources report it of somebody else, or from them"
    closest = max(_CLAUSE.split(sentence), key=lambda clause: _shared(item, clause), default="")
    if _shared(item, closest) and not _FIRST.search(closest) and _subject_is_another(closest, item):
        return "the sources say it of somebody else"
    return ""


def _about_another(item: str) -> bool:
    """Its subject is a relation of the user's, or somebody by name: "User's brother …", "Wife Ingrid …"."""
    words = [word for word in tokens_of(item) if word not in ("user", "user's", "the")]
    verb = next((n for n, word in enumerate(words) if word in _BEING), len(words))
    return any(_is_person(word) for word in words[: min(verb, _REACH)])


def _subject_is_another(clause: str, item: str) -> bool:
    words = [word for word in tokens_of(clause) if word not in ("and", "but", "so", "because", "that")]
    start = next((n for n, word in enumerate(words[:2]) if word not in _DETERMINERS), 0)
    head = words[start : start + _REACH - 1] if start else words[:1]
    if any(_is_person(word) for word in head):
        return True
    return _named_subject(words, clause) and not (claims(clause).entities & set(tokens_of(item)) & set(words[:1]))


def _named_subject(words: list[str], clause: str) -> bool:
    """ "Bob works at a bakery": somebody's name, then what they do."""
    return len(words) > 1 and words[0] in claims(clause).entities and bool(_IS_VERB.match(words[1]))


def _is_person(word: str) -> bool:
    return word in _OTHERS or canonical(stem(word.removesuffix("'s").removesuffix("’s"))) in PERSONS


def _shared(item: str, text: str) -> int:
    return len(_content(item) & _content(text))


def _content(text: str) -> frozenset[str]:
    said = claims(text)
    return frozenset(canonical(root) for root in said.stems) | said.numbers


def _flat(text: str) -> str:
    return " ".join(tokens_of(text))
