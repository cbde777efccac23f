"""Whose a statement is: a fact about the user rests on what the user says of themselves, not of others or for them; pure."""

import re
from collections.abc import Iterable
from typing import Final

from chatmem_server.dates.date_mentions import WEEKDAY_NUMBER
from chatmem_server.memories.claims import claims, plain, tokens_of
from chatmem_server.text.lexicon import STOP_WORDS
from chatmem_server.text.stemming import stem
from chatmem_server.text.synonyms import PERSONS, PRONOUNS, canonical
from chatmem_server.text.word_lists import words_of

_SAYS: Final = (
    r"(?:says?|said|thinks?|thought|believes?|claims?|claimed|swears?|reckons?|writes|wrote|texted|mentioned|insists?)"
)
# "My friend says …", "She told me that …", "According to Tom, …", "The song goes: …": what follows is somebody else's.
_REPORTED: Final = re.compile(
    rf"^(?:(?:and|but|so|well|anyway|yesterday|today)[, ]+)*"
    rf"(?:(?!(?:i|we|you|let|as)\b)(?:[\w'’-]+ ){{1,4}}(?:{_SAYS}\b|(?:told|tells) (?:me|us|him|her|them)\b(?! to\b)|(?:goes|reads)(?=[:,]))"
    rf"|according to (?!(?:me|us)\b)[^,]{{1,40}},)[:, ]*(?:that )?(?P<claim>.+?)(?=\s+but\s+(?:i|i'm|i've|my|we)\b|$)",
    re.IGNORECASE | re.DOTALL,
)
_CLAUSE: Final = re.compile(
    r"[,;:]\s|(?<!\bme)\s(?:but|because|and|so(?= (?:i|we|my|he|she|they|it|you|the|that|now|please|don't)\b)|although|since|while|whereas|that)\s|\s[–—-]\s|\n"
)
_FIRST: Final = re.compile(r"\b(?:i|i['’](?:m|ve|d|ll)|me|myself|mine|we|we['’]\w+|us|ours)\b", re.IGNORECASE)
_OTHERS: Final = words_of(
    """
    you you're he she they he's she's they're customer client user guy girl man woman people
    schwester bruder mutter mama vater papa sohn tochter frau mann freund freundin tante onkel oma opa chef chefin
    hermana hermano madre mamá padre papá hija hijo esposa esposo marido novia novio amiga amigo jefa jefe
    soeur sœur frère mère maman père fille fils femme mari copine copain amie ami
    сестра брат мама мать папа отец дочь сын жена муж подруга друг бабушка дедушка
    """
)
_DETERMINERS: Final = frozenset(
    "mi mis mein meine mon ma mes мой моя мои my our his her their the a an this that one some".split()
)
_REACH: Final = 3
"""Words into a clause at which its subject stands at the latest."""
_BEING: Final = frozenset("is was are were has have had will".split())
_IS_VERB: Final = re.compile(r"(?:is|was|has|had|will|lives|\w{2,}s)$")


def attributed(item: str, quote: str, sentence: str) -> str:
    """Why the sentence, which holds the quote, does not say the item of the user; empty where it does.

    An item that speaks of another person is theirs to be true of, and passes, unless the two are exchanged in it.
    """
    if _doings(item, item) & {(done_to, verb, by) for by, verb, done_to in _doings(sentence, item)}:
        return "the sources say it the other way round"
    if _about_another(item):
        return "the sources say it of another person" if _of_another_one(item, sentence) else ""
    if _owned_by_another(item, sentence):
        return "the sources say it of what is somebody else's"
    reported = _REPORTED.search(sentence)
    if reported and _flat(quote) in _flat(sentence) and _shared(item, reported["claim"]):
        return "the sources report it of somebody else, or from them"
    closest = _with_subject(closest_clause(item, sentence), sentence)
    if _shared(item, closest) and not _FIRST.search(closest) and _subject_is_another(closest, item):
        return "the sources say it of somebody else"
    return ""


def _with_subject(clause: str, sentence: str) -> str:
    """ "… and still lives alone" with the clause before it, which says who does."""
    if not _GOES_ON.match(clause):
        return clause
    parts = _CLAUSE.split(sentence)
    at = parts.index(clause)
    return f"{parts[at - 1]} {clause}" if at else clause


_GOES_ON: Final = re.compile(
    r"\W*(?:and )?(?:(?:still|also|now|always|often|never|really) )*(?:is|was|has|lives|works|likes|loves|hates|wants|needs|speaks|plays|goes|studies)\b",
    re.IGNORECASE,
)


def closest_clause(item: str, sentence: str) -> str:
    """The clause of the sentence that shares the most with the item; of several the last, which has the last word."""
    return max(reversed(_CLAUSE.split(sentence)), key=lambda clause: _shared(item, clause), default="")


def _about_another(item: str) -> bool:
    """Its subject is a relation of the user's, or somebody by name: "User's brother …", "Wife Ingrid …", "Nora lives …"."""
    words = [word for word in tokens_of(item) if word not in ("user", "user's", "the")]
    if (
        len(words) > 1
        and item.lower().startswith(words[0])
        and words[0] in claims(item).entities
        and _IS_VERB.match(words[1])
    ):
        return True
    verb = next((n for n, word in enumerate(words) if word in _BEING), len(words))
    return any(_is_person(word) for word in words[: min(verb, _REACH)])


def _of_another_one(item: str, sentence: str) -> bool:
    """ "Mother was a nurse, father drove trucks" makes no nurse of the father."""
    words = [word for word in tokens_of(item) if word not in ("user", "user's", "the")]
    who = _people(words[:_REACH], claims(item).entities & set(words[:1]))
    said = _content(item) - who
    clause = max(reversed(_CLAUSE.split(sentence)), key=lambda part: len(said & _content(part)), default="")
    names = claims(clause).entities
    told = [word for word in tokens_of(clause) if word not in ("and", "but", "so")]
    theirs = _people(told, names & set(told[:1])) - _people(tokens_of(item), claims(item).entities)
    if not (said & _content(clause) and who and theirs) or who & (names | _KINDS_OF_KIN):
        return False
    return not any(one.startswith(other) for one in who for other in theirs)  # "sister in law" and sister-in-law


def _people(words: Iterable[str], names: frozenset[str]) -> frozenset[str]:
    return names | {root for word in words if (root := canonical(stem(word))) in PERSONS and root not in PRONOUNS}


_KINDS_OF_KIN: Final = frozenset(
    canonical(stem(word)) for word in ("parent", "child", "sibling", "spouse", "grandparent")
)


def _subject_is_another(clause: str, item: str) -> bool:
    words = [word for word in tokens_of(clause) if word not in ("and", "but", "so", "because", "that")]
    start = next((n for n, word in enumerate(words[:2]) if word not in _DETERMINERS), 0)
    head = words[start : start + _REACH - 1] if start else words[:1]
    if any(_is_person(word) for word in head):
        return True
    return _named_subject(words, clause, item) and not (claims(clause).entities & set(tokens_of(item)) & set(words[:1]))


def _named_subject(words: list[str], clause: str, item: str) -> bool:
    """ "Bob works at a bakery", "jan likes pizza": somebody's name, then what they do."""
    if len(words) < 2 or not _IS_VERB.match(words[1]):
        return False
    theirs = words[1] not in _BEING and stem(words[1]) in _roots(item) and words[0] not in STOP_WORDS
    return words[0] in claims(clause).entities or (theirs and stem(words[0]) not in _roots(item))


def _roots(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in tokens_of(text))


def _owned_by_another(item: str, sentence: str) -> bool:
    """ "User's birthday", "User has a dog" where the sentence speaks of mom's birthday, of the neighbour's dog."""
    owned = {stem(match[1].lower()) if match[1] else "name" for match in _OWNS.finditer(plain(item))}
    others = [(match[1].lower(), stem(match[2].lower())) for match in _POSSESSIVE.finditer(plain(sentence))]
    said = {stem(match[1].lower()) for match in _MINE.finditer(plain(sentence))}
    return any(what in owned - said and who not in tokens_of(item) for who, what in others if who not in _NO_OWNER)


_OWNS: Final = re.compile(r"\b(?:user's|has|owns) (?:(?:an?|the) )?(\w+)|\bis (?=named|called)(\w+)", re.IGNORECASE)
_NO_OWNER: Final = (
    (STOP_WORDS - {"his", "her"})
    | frozenset("today tomorrow yesterday tonight week month year he she who everything".split())
    | WEEKDAY_NUMBER.keys()
)
_POSSESSIVE: Final = re.compile(r"\b(\w+(?='s)|his|her)(?:'s)? (\w+)")
_MINE: Final = re.compile(r"\b(?:my|our) (\w+)(?!'s)\b", re.IGNORECASE)


def _doings(text: str, item: str) -> set[tuple[str, str, str]]:
    """Who does what to whom, of the user and those the item names: (self, owe, marta)."""
    names, words = claims(item).entities, tokens_of(text)
    actors = ["self" if word in _USER else word if word in names else "" for word in words]
    return {
        (actors[at], stem(words[at + 1]), actors[at + 2])
        for at in range(len(words) - 2)
        if actors[at] and actors[at + 2] and actors[at] != actors[at + 2] and words[at + 1] not in _SYMMETRIC
    }


_USER: Final = frozenset("i me user we us them".split())
_SYMMETRIC: Final = frozenset("and or is are was with married met called named".split())


def _is_person(word: str) -> bool:
    return word in _OTHERS or canonical(stem(word.removesuffix("'s").removesuffix("’s"))) in PERSONS


def _shared(item: str, text: str) -> int:
    return len(_content(item) & _content(text))


def _content(text: str) -> frozenset[str]:
    said = claims(text)
    return frozenset(canonical(root) for root in said.stems) | said.numbers


def _flat(text: str) -> str:
    return " ".join(tokens_of(text))
