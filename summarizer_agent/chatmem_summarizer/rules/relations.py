"""Rules for the people and animals of somebody's life."""

import re

from chatmem_summarizer.clauses import Clause
from chatmem_summarizer.restate import capitalised, inner
from chatmem_summarizer.rules.rule import Draft, Rule, Scene, owns, states

_FAMILY = (
    r"(?:wife|husband|spouse|partner|fianc[ée]e?|girlfriend|boyfriend|ex(?:-(?:wife|husband|girlfriend|boyfriend))?"
    r"|(?:(?:mother|father|brother|sister|son|daughter)-in-law|step(?:son|daughter|mother|father|mom|dad|brother|sister)"
    r"|grand(?:mother|father|ma|pa|parent|son|daughter|kid|child)|son|daughter|kid|baby|twin|mother|mom|mum|father|dad"
    r"|parent|brother|sister|sibling|aunt|uncle|cousin|niece|nephew|godson|goddaughter)s?|children|child|grandchildren"
    r"|babies|in-laws|best friend|nanny|babysitter|roommates?|flatmates?|housemates?|co-?founder)"
)
_ANIMAL = (
    r"(?:(?:dog|cat|kitten|pet|parrot|rabbit|hamster|horse|turtle|tortoise|guinea pig|bird|snake|chicken)s?|pupp(?:y|ies)"
    r"|goldfish|fish|pon(?:y|ies)|bunn(?:y|ies))"
)
_OTHERS = (
    r"(?:friend|neighbou?r|colleague|coworker|boss|manager|mentor|teacher|coach|supervisor|therapist|doctor|dentist)"
)
_CLOSE = rf"(?:{_FAMILY}|{_ANIMAL})"
RELATION = rf"(?:{_FAMILY}|{_ANIMAL}|{_OTHERS})"
_OLDER = (
    r"(?:older |younger |elder |little |big |eldest |oldest |youngest |middle |twin |late |new |first |second |other "
    r"|half[- ]|step[- ]?|\w+[- ]year[- ]old )?"
)
_NAME = r",? (?-i:[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)?),?"
_KNOWN = rf"(?:{_CLOSE}(?:{_NAME}| [a-z]+(?= (?:is|has|lives|works)\b))?|{_OTHERS}{_NAME})"
"""Family and animals count with and without a name, others only with one."""
_LASTING = (
    r"(?:(?:is|are|'s|was|were)(?: (?:also|now|both|currently|only|almost|a))?"
    r" (?:\d|named|called|allergic|born|pregnant|vegan|vegetarian|autistic|diabetic|deaf|blind|from|an?\b|in (?:the "
    r")?(?:\w+ )?(?:grade|school|college|university|kindergarten|nursery)"
    r"|living|working|studying|starting|graduating|(?:\w+ )?intolerant|married|divorced|retired|(?-i:[A-Z])|(?:a |an )?\w+(?:er|or|ist|ian|nurse)$|one|two"
    r"|three|four|five|six|seven|eight|nine|ten|eleven|twelve|expecting|due|getting married|turning|based)"
    r"|(?:lives?|works?|studies|study|speaks?|plays?|teaches|runs|owns|goes to|attends|has|have|likes?|loves?|hates?"
    r"|prefers?|moved|passed away|died|got married|graduated|starts?|started|finishes|turns|turned|was diagnosed|loves|enjoys|collects"
    r"|doesn't (?:eat|drink|speak)|can't eat)\b"
    r"(?! (?:to (?:talk|joke|tell|go|leave|be)|it|that|this|them|him|her|those|me|you|been|no idea|a (?:point|question|problem|cold"
    r"|headache)|fun|mad|crazy|sick|with me)\b))"
)
_TRANSIENT = re.compile(
    r"\b(?:today|right now|at the moment|tonight|this morning|again|so (?:mad|angry|happy)|mad at|angry|driving me"
    r"|annoying|being)\b|'s (?:so|such)\b|\bha(?:s|ve) (?:one|two|three|four|\d+|some|many|none)$",
    re.I,
)


def _lasting(match: re.Match[str]) -> bool:
    return not _TRANSIENT.search(match.string)


_APPOSITION = re.compile(
    rf"\b(?:my|our) (?P<rel>{_OLDER}{RELATION}),? (?P<name>(?-i:[A-Z][a-zà-ÿ'’-]+))\b(?!'s)(?! (?:is|was|said|says)\b)",
    re.IGNORECASE,
)
_NOT_NAME = re.compile(
    r"(?:I|I'm|And|But|The|He|She|They|We|On|In|At|Is|Was|To|For|With|From|Monday|Tuesday|Wednesday|Thursday|Friday"
    r"|Saturday|Sunday|January|February|March|April|May|June|July|August|September|October|November|December)$"
)


def mentioned(clause: Clause, scene: Scene) -> Draft | None:
    """`my wife Ana and I went hiking` tells, beside anything else, that the wife is Ana."""
    match = _APPOSITION.search(clause.text)
    if match is None or _NOT_NAME.match(match["name"]):
        return None
    return Draft("facts", capitalised(inner(f"{match['rel']} is {match['name']}")))


_NOT_KIN = re.compile(
    r"\b(?:class|table|node|tag|element|process|object|question|issue|problem|fight|argument|pet peeve|food|toy|photo)\b",
    re.IGNORECASE,
)


def _kept(match: re.Match[str]) -> bool:
    return not _NOT_KIN.search(match.string) and _lasting(match)


_HAVING = re.compile(
    r"(?:i|we)\b.{0,30}?(?:\bhave|'ve|\bgot|\badopted|rescued|own|bought|raised?|foster)\b", re.IGNORECASE
)
_COUNT = r"(?:a|an|the|no|one|two|three|four|five|six|seven|\d|several|many|another|our|my)"

RULES: tuple[Rule, ...] = (
    states(
        "facts",
        r"(?:i|we)(?:'ve| have)?(?: have| got| own| adopted| bought)* an? (?:[\w-]+ ){1,4}(?:named|called) (?-i:[A-Z])\w*.*",
        when=lambda match: bool(_HAVING.match(match.string)),
    ),
    owns("facts", rf"(?:my|our) {_OLDER}{RELATION}(?:'s|s') (?:name|names|job|age|nickname)(?: is| are|'s) \S+"),
    owns("facts", rf"(?:my|our) (?:\w+ )?{_OLDER}{_KNOWN} ?{_LASTING}.*", when=_lasting),
    owns("facts", rf"(?:my|our) {_OLDER}{_OTHERS} is (?:named|called) \S+"),
    states(
        "facts",
        rf"(?:i|we) (?:don't|dont|do not) (?:have|own)(?: any| an?)?(?! (?:my|our|the|your|enough)\b)(?: [\w-]+)? {_CLOSE}\b(?!'s| (?:with|to|at|for)\b).*",
        when=_kept,
    ),
    states(
        "facts",
        r"(?:i|we)(?:'ve| have)?(?: (?:also|just|only|recently|now|still))*(?: (?:have|got|adopted|rescued|own|bought"
        rf"|raised?|foster))*(?: {_COUNT})?(?: [\w-]+){{0,2}}? {_CLOSE}\b.*",
        when=lambda match: bool(_HAVING.match(match.string)) and _kept(match),
    ),
    states(
        "facts",
        r"(?:i|we)(?:'re| are|'m| am)? (?:expecting|having|have) (?:a |our |my )?(?:\w+ )?(?:baby|child|twins|girl|boy"
        r"|son|daughter)\b.*",
    ),
    states(
        "facts",
        r"(?:i'm|im|i am|we're|we are) expecting (?:our|my) (?:first|second|third|fourth)(?:$| (?:in|this|next|by)\b.*)",
    ),
    states(
        "facts", rf"(?:i|we)(?: recently| just)? (?:live|share an? \w+) with (?:my |our |a |two |three ).*{RELATION}.*"
    ),
    owns(
        "facts",
        r"(?:my|our) (?:whole |immediate )?family (?:is|are|lives?|comes?|has|moved|owns?) (?:from |in |to "
        r"|originally |of )?\S.*",
    ),
)
