"""How far a sentence commits itself to what an item says: as so, as not sure, as nearly so, or only as of these days; pure."""

import re
from typing import Final

from chatmem_server.memories.attributes import attributes
from chatmem_server.memories.claims import claims
from chatmem_server.memories.whose import closest_clause


def hedged(item: str, sentence: str) -> bool:
    """Whether the clause that speaks of the item is not sure of it: the user is asked before it counts."""
    return bool(_HEDGE.search(closest_clause(item, sentence)) or _HEDGE_OF_ALL.search(sentence))


def unrealised(item: str, sentence: str) -> str:
    """Why what the item says is so was only nearly so, or meant to be, or is so for some days; empty where it is so."""
    clause = closest_clause(item, sentence)
    if _NEARLY.search(clause) and not (_NEARLY.search(item) or _PAST.search(item) or claims(item).negations):
        return "the sources say that it did not come about"
    if _HAVING.search(item) and _WISHED.search(clause) and not _WISHED.search(item):
        return "the sources only wish for it"
    if _lasting(item) and not _lasting(sentence) and _passing(clause):
        return "the sources say it of some days only"
    if _HABIT.search(item) and not _HABIT.search(sentence) and _once(clause):
        return "the sources say it of one time only"
    return ""


def _lasting(text: str) -> bool:
    return any(attribute.name == "residence" for attribute in attributes(text)) or bool(_HOME.search(text))


def _passing(clause: str) -> bool:
    """Whether a clause is about today, this week, a stay."""
    near = (mention for mention in claims(clause).mentions if mention.form in ("relative", "weekday"))
    return any((mention.offset or 0) >= 0 for mention in near) or bool(_STAY.search(clause))


def _once(clause: str) -> bool:
    return any(
        mention.form in ("relative", "distance") and (mention.offset or 0) < 0 for mention in claims(clause).mentions
    )


_HABIT: Final = re.compile(r"\b(?:every|each|daily|weekly|always|usually|regularly)\b", re.IGNORECASE)
_HEDGE: Final = re.compile(
    r"\b(?:might|maybe|perhaps|possibly|probably|(?:not|n't) (?:\w+ )?(?:sure|certain|decided)|unsure|undecided"
    r"|(?:thinking|think) (?:about|of) \w+ing|considering|toying with|(?:i|we) may(?! \d)|i (?:think|guess) (?:i|i'm|my|we|our))\b",
    re.IGNORECASE,
)
_HEDGE_OF_ALL: Final = re.compile(
    r"(?:\bnot sure|\bi (?:think|guess)|\bmaybe|\bwe'll see)(?: yet| though)?\W*$", re.IGNORECASE
)
_NEARLY: Final = re.compile(
    r"\b(?:almost|nearly|(?:was|were) (?:going|planning|hoping|supposed|meant|about) to|(?:would|could) have|i could(?! (?:not|only)\b))\b",
    re.IGNORECASE,
)
_HAVING: Final = re.compile(r"\b(?:has|owns|bought|got)\b(?! to\b)", re.IGNORECASE)
_WISHED: Final = re.compile(
    r"\b(?:needs?|wants?|would (?:like|love)|i'd (?:like|love)|looking for|hoping for|dream(?:s|ing)? of)(?: to (?:have|own|get|buy))? (?:an?|some|new|my own)\b",
    re.IGNORECASE,
)
_PAST: Final = re.compile(r"\b(?:was|were|had|planned|wanted)\b", re.IGNORECASE)
_HOME: Final = re.compile(r"\b(?:live[sd]?|living|home|moved|based|reside[sd]?)\b", re.IGNORECASE)
_STAY: Final = re.compile(
    r"\b(?:right now|at the moment|visiting|staying|on (?:a |my )?(?:trip|holiday|vacation))\b", re.IGNORECASE
)
