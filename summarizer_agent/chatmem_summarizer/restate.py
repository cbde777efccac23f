"""Turns what somebody says of themselves into a short statement about them, in their own words; knows English only."""

import re

_I = re.IGNORECASE
_CONTRACTED = (
    (r"^(?:i'm|im|i am|we're|we are)\b", "Is"),
    (r"^(?:i|we)(?:'ve| have) got\b|^ive got\b", "Has"),
    (r"^(?:i|we)(?:'ve| have)\b|^ive\b", "Has"),
    (r"^(?:i|we)(?:'ll| will)\b", "Will"),
    (r"^(?:i|we)'d\b", "Would"),
    (r"^(?:i|we) (?:don't|dont)\b", "Doesn't"),
    (r"^(?:i|we) do not\b", "Does not"),
    (r"^(?:i|we) (?:haven't|havent)\b", "Hasn't"),
    (r"^(?:i|we) (?:were|was)\b", "Was"),
)
_ADVERBS = (
    "no longer|probably|maybe|possibly|perhaps|likely|usually|regularly|really|absolutely|always|never|usually|often|sometimes|also|just|still|mostly|mainly|currently|now|actually|truly"
    "|generally|definitely|strongly|typically|normally|especially|particularly|kinda|rarely|seldom|personally"
    "|recently|finally"
    "|already|much|totally|so|do|officially|eventually|originally|only|both|genuinely"
)
_SUBJECT_VERB = re.compile(rf"^(?:i|we) (?P<adverbs>(?:(?:{_ADVERBS}) )*)(?P<verb>[\w'-]+)", _I)
_PAST_TEXT = """
went grew got bought sold left met became began won lost found made took gave came ran wrote spent taught built
broke chose drove ate felt kept knew led paid said saw sent slept spoke stood thought told understood woke wore
brought caught fell flew forgot forgave held hid lent lit rode rose sang sat shot swam threw bore had did was
were hadn't didn't wasn't weren't
"""
PAST_FORMS = frozenset(_PAST_TEXT.split())
"""Irregular verbs that can only be past."""
_UNCHANGED_TEXT = """
can can't cannot could couldn't might may must will won't would wouldn't should shouldn't shall used quit hurt
spread bet cut hit let put set shut
"""
_UNCHANGED = PAST_FORMS | frozenset(_UNCHANGED_TEXT.split())
_INNER = (
    (re.compile(r"\b(?:I|i|we) (?:was|were)\b"), "they were"),
    (re.compile(r"\bi'm\b|\bi am\b", _I), "they're"),
    (re.compile(r"\bi've\b", _I), "they've"),
    (re.compile(r"\bi'll\b", _I), "they'll"),
    (re.compile(r"\bi'd\b", _I), "they'd"),
    (re.compile(r"(?<![\w.&/+-])I(?![\w.&/+'-])|\bi\b(?![\w.&/+'-])"), "they"),
    (re.compile(r"\bmyself\b|\bourselves\b", _I), "themselves"),
    (re.compile(r"\bmy own\b", _I), "their own"),
    (re.compile(r"(?<![\w-])(?:my|our)\b(?!-)", _I), "their"),
    (re.compile(r"\bmine\b(?!\w)|\bours\b"), "theirs"),
    (re.compile(r"(?<![\w-])(?:me|us)\b(?=\s|[.,;]|$)"), "them"),
    (re.compile(r"\bwe're\b", _I), "they're"),
    (re.compile(r"\bwe\b", _I), "they"),
)


def third_person(clause: str) -> str:
    """`I work at GovTech with my brother` becomes `Works at GovTech with their brother`."""
    return capitalised(inner(_conjugated(clause.strip())))


def inner(text: str) -> str:
    """The writer's pronouns turned to the third person."""
    for pattern, other in _INNER:
        text = pattern.sub(other, text)
    return text


def capitalised(text: str) -> str:
    """The first letter large, the rest as it was."""
    return text[:1].upper() + text[1:]


def without_my(clause: str) -> str:
    """`my team offsite is …` becomes `Team offsite is …`."""
    return capitalised(inner(re.sub(r"^(?:my|our|the)\s+", "", clause.strip(), flags=_I)))


def _conjugated(clause: str) -> str:
    negative = re.match(r"^(?:i'm|im|i am|we're|we are) not\b", clause, _I)
    if negative:
        return "Is not" + clause[negative.end() :]
    for pattern, other in _CONTRACTED:
        match = re.match(pattern, clause, _I)
        if match:
            return other + clause[match.end() :]
    return _SUBJECT_VERB.sub(_verb, clause, count=1)


def _verb(match: re.Match[str]) -> str:
    adverbs = "" if match["adverbs"].lower() == "do " else match["adverbs"]
    return adverbs + singular(match["verb"])


def singular(verb: str) -> str:
    """The verb with he or she: past and modal forms stay."""
    low = verb.lower()
    if low in _UNCHANGED or (low.endswith("ed") and low not in {"need", "feed", "speed", "exceed", "proceed"}):
        return verb
    irregular = {"have": "has", "do": "does", "go": "goes", "be": "is", "am": "is", "are": "is"}
    if low in irregular:
        return irregular[low]
    if low.endswith(("s", "x", "z", "ch", "sh", "o")):
        return verb + "es"
    if low.endswith("y") and low[-2:-1] not in set("aeiou"):
        return verb[:-1] + "ies"
    return verb + "s"
