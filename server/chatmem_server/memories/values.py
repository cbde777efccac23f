"""Whether what is said of a thing is a value, which another replaces: "my car is a Volvo", and not "my car is broken".

Only words are looked at: a name is written large or holds a digit, an amount begins with a number. What describes, tells
where something is, or when, is no value. In doubt it is none, and both statements stay.
"""

import re
from typing import Final

from chatmem_server.memories.claims import claims

_PLACES: Final = (
    r"(?:about|above|abroad|at|away|behind|below|beside|between|by|down|downstairs|for|from|here|in|inside|like|near|of|off|on|out|outside|"
    r"over|than|there|through|to|under|up|upstairs|with|without"
    r"|again|all|almost|also|always|as|enough|even|how|if|less|more|most|much|never|no|not|often|only|pretty|quite|rather|really|so|such|that|"
    r"too|very|what|when|where|why)"
)
"""Where, when and how something is."""

_DESCRIBES: Final = re.compile(
    rf"(?:{_PLACES}"
    r"|angry|annoyed|awful|back|bad|best|better|big|black|blue|boring|broken|brown|busy|calm|cheap|clean|cold|cool|correct|dead|difficult|"
    r"dirty|done|due|easy|empty|expensive|far|fast|fine|fit|free|full|fun|funny|gone|good|great|green|grey|gray|happy|hard|heavy|high|hot|ill|"
    r"important|kind|large|late|light|little|long|lost|loud|low|mean|nice|noisy|ok|okay|old|open|orange|pink|private|purple|quiet|ready|red|"
    r"right|rude|sad|safe|secret|short|shut|sick|slow|small|smart|stable|strange|strict|strong|stuck|sure|taken|tall|tight|tiny|tough|unfair|"
    r"unknown|upset|warm|weak|weird|white|wonderful|worse|worst|wrong|yellow|young"
    r"|french|german|dutch|greek|swiss|czech|thai|welsh|(?:ital|austral|austr|canad|brazil|ind|russ|ukrain|belg|norweg|roman|hungar|bulgar|"
    r"croat|serb|egypt|iran|colomb|peruv|syr|niger)ian|(?:americ|mexic|kore|europe|afric|as?i)an|\w+(?:ish|nese)"
    r"|(?!engineer|nurs|market|account|programm)(?-i:[a-z])\w{2,}(?:ed|ing|able|ible|ful|less|ous|ive|ental|ly))\b",
    re.IGNORECASE,
)
_WHERE: Final = re.compile(rf"{_PLACES}\b", re.IGNORECASE)
_NAME: Final = re.compile(r"[A-Z]|\d")
_LOOKS: Final = re.compile(
    r"(?:(?:black|blue|brown|green|grey|gray|orange|pink|purple|red|white|yellow|big|small|little|old|used|second-hand|electric) )+[A-Z]"
)
"""A red Tesla is not said to be red."""

_AMOUNT: Final = re.compile(
    r"(?:(?:about|around|roughly|approximately|nearly|almost|at|up to|only|just|over|under|between|from) )*[$€£¥]?\w*\d",
    re.IGNORECASE,
)
_NO_EMPLOYER: Final = re.compile(
    r"(?:\d|one\b|two|three|several|many|some|various|different|my|his|her|their|our|your|least|most|all|any|it\b|that|them|him|us\b)|.*\b(?:home|night|nights|weekends?|day|days|hours?|weeks?|"
    r"months?|minutes?|noon|dawn|desk|table|window|myself|himself|herself|self|fun|free|money|cash|tips|food|peanuts|pace|speed|height|"
    r"heights|hand|heart|scale|distance|moment|times?|least|once|it|shelter|soup kitchen|festival)\b",
    re.IGNORECASE,
)
JOBS: Final = (
    r"(?:engineer|developer|programmer|manager|teacher|nurse|doctor|physician|designer|analyst|architect|consultant|scientist|lawyer|"
    r"accountant|chef|pilot|dentist|director|writer|journalist|electrician|plumber|student|freelancer|founder|ceo|cto|professor|"
    r"researcher|paramedic|librarian|barista|editor|photographer|translator|recruiter|administrator|mechanic|carpenter|pharmacist|"
    r"waiter|waitress|cleaner|secretary|clerk|baker|butcher|tailor|surgeon|psychologist|technician|firefighter|nanny|banker|farmer|soldier|"
    r"actor|actress|musician|therapist|apprentice)"
)
"""What somebody who says "I am a …" does for a living."""

_POSITION: Final = re.compile(
    rf"\b(?:{JOBS}|"
    r"lead|leader|head|officer|assistant|cook|driver|singer|artist|painter|vet|judge|policeman|trainer|coach|tutor|intern|"
    r"specialist|operator|supervisor|president|vp|partner|broker|salesman|salesperson|vendor|gardener)\b",
    re.IGNORECASE,
)


def names(value: str) -> bool:
    """Whether it is a name, or a code: Volvo, N26, Dr. Lee."""
    return _NAME.search(value) is not None and (_is_plain(value) or _LOOKS.match(value) is not None)


def measures(value: str) -> bool:
    """Whether it is an amount, a time, a code: 1200 euros, 10 pm, XY12."""
    return _AMOUNT.match(value) is not None or (_is_plain(value) and bool(claims(value).numbers))


def chooses(value: str) -> bool:
    """Whether it is one of several that there may be: blue is a colour, vim an editor."""
    return len(value.split()) <= _LONGEST_CHOICE and _is_plain(value)


def is_favoured(value: str) -> bool:
    """Whether it is what somebody may like best, a colour too: not where it is."""
    return len(value.split()) <= _LONGEST_CHOICE and not _WHERE.match(value)


def employs(value: str) -> bool:
    """Whether one may work for it: not for three hours, at night, at a desk."""
    return _NO_EMPLOYER.match(value) is None


def is_job(value: str) -> bool:
    """Whether it is an occupation or a position."""
    return _POSITION.search(value) is not None


_LONGEST_CHOICE: Final = 5  # words


def _is_plain(value: str) -> bool:
    """Not a description, a place or a day."""
    days = claims(value).mentions
    return not _DESCRIBES.match(value) and not (days and days[0].start == 0)
