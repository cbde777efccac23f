"""Which kind of memory a sentence is, by its wording: preference, goal, date, outcome, pin, or plain fact; and what makes
it key information that is pinned by itself.  Decides from the text alone."""

import re
from dataclasses import dataclass
from typing import Final, Literal

from chatmem_server.dates.date_mentions import find

Kind = Literal["fact", "preference", "goal", "date", "outcome", "pin"]

_GOAL = re.compile(
    r"\b(?:(?:i|we|user) (?:really )?(?:need|want|plan|aim|intend|hope|have|wants|needs|plans|aims|intends|hopes|has) to\b"
    r"|(?:i['’]?m|i am|user is|we['’]?re|we are) (?:trying|planning|aiming|hoping|working towards?|training|saving|preparing)\b"
    r"|(?:my|our|the) (?:\w+ )?(?:goal|aim|objective|target|resolution|mission)s?\b|goal:|todo:|to-do:"
    r"|(?:i['’]?d|i would) like to (?:learn|become|finish|launch|build|write|get|run|lose|save|start|move|buy|visit|reach)\b"
    r"|(?:i|we) must\b|deadline\b|(?:needs?|has|have) to be (?:done|finished|launched|ready|delivered|submitted)\b)",
    re.IGNORECASE,
)
_PREFERENCE = re.compile(
    r"\b(?:prefer(?:s|red|ence|ences)?|favou?rites?\b"
    r"|(?:i|user|we) (?:really |absolutely |just |also )*(?:(?:do(?:n['’]t| not)|doesn['’]t|does not) )?"
    r"(?:really )?(?:like|love|enjoy|hate|dislike|adore|detest|loathe|can['’]?t stand|cannot stand|likes|loves|enjoys|hates|dislikes|"
    r"appreciate|appreciates|mind)s?\b"
    r"|(?:i['’]?d|i would|user would) (?:rather|prefer|like (?:you|it|my|all|shorter|longer|more|less|responses|answers))\b"
    r"|call me\b|address me\b"
    r"|(?:please )?(?:always|never|don['’]t ever|do not ever|from now on|in future|going forward)[, ]+(?:please )?"
    r"(?:give|use|reply|respond|answer|write|send|call|keep|format|include|show|speak|explain|avoid|add|start|end|put|remind|make|be|ask)\b"
    r"|(?:please|can you|could you) (?:keep|use|give me|answer|reply|respond|write|avoid|stop|be|format)\b"
    r"|(?:keep|give|make) (?:your |the |me |my )?(?:answers?|responses?|repl(?:y|ies)|messages?|it|them|explanations?)\b"
    r"|no (?:emojis?|long|more than|bullet|small talk)\b|fan of\b|allergic to the word)",
    re.IGNORECASE,
)
_EVENT = re.compile(
    r"\b(?:birthday|anniversary|wedding|appointments?|meeting|offsite|off-site|flight|exam|interview|conference|party|trip|"
    r"vacation|holiday|deadline|concert|reunion|graduation|surgery|check-?up|webinar|workshop|event|due|expires?|renew(?:s|al)|"
    r"starts?|begins?|ends?|scheduled|visit(?:s|ing)?|arriv(?:es?|ing|al)|depart(?:s|ure)|leav(?:e|es|ing)|born|launch|release|"
    r"court|viewing|delivery|dinner|lunch|call|review|demo|presentation|marathon|race|lease|visa|passport|is on|are on|falls on)\b",
    re.IGNORECASE,
)
_OUTCOME = re.compile(
    r"\b(?:(?:i|we) (?:finally |just |already )?(?:finished|completed|launched|shipped|fixed|solved|resolved|passed|won|achieved|"
    r"delivered|submitted|deployed|released|closed|signed|got (?:the|a) (?:job|offer|promotion|visa)|failed|lost)\b"
    r"|(?:turned out|ended up|worked out|didn['’]t work|did not work|the fix was|the result (?:is|was)|it worked)\b"
    r"|(?:is|are|was|were|has been|have been) (?:done|completed|finished|launched|shipped|fixed|resolved|approved|rejected|cancelled|canceled)\b)",
    re.IGNORECASE,
)
_PIN_REQUEST = re.compile(
    r"^\s*(?:please )?(?:pin(?: this| that| it)?\b\s*[:,-]|pin this\b|important:|key info(?:rmation)?:)", re.I
)


@dataclass(frozen=True, slots=True)
class _PinRule:
    reason: str
    importance: float
    pattern: re.Pattern[str]


def _rule(reason: str, importance: float, pattern: str) -> _PinRule:
    return _PinRule(reason, importance, re.compile(pattern, re.IGNORECASE))


_DIGITS = r"[A-Z]{0,4}[\d][\d -]{2,}"
_PIN_RULES: Final = (
    _rule("allergy", 0.95, r"\b(?:allergic to|allerg(?:y|ies)|anaphyla\w+|epipen|intolerant to|intolerance)\b"),
    _rule(
        "dose",
        0.95,
        r"\b\d+(?:\.\d+)?\s?(?:mg|mcg|µg|ml|iu|units?|tablets?|pills?|puffs?|drops?|milligrams?)\b"
        r"|\b(?:dose|dosage|prescribed|prescription|medication|insulin|blood type|blood group)\b",
    ),
    _rule(
        "account number",
        0.9,
        r"\b(?:account|policy|passport|member(?:ship)?|customer|booking|reservation|confirmation|case|ticket|licen[cs]e|iban|"
        r"insurance|tax|vat|serial|reference|flight|frequent flyer|employee|patient|invoice|order)\b"
        rf"(?:[ \w-]{{0,24}}?)(?:number|no\.?|id|code|#|reference)?(?:\s+(?:is|for [\w ]{{1,30}} is)|\s*[:#])?\s*{_DIGITS}",
    ),
    _rule(
        "appointment",
        0.85,
        r"\b(?:appointments?|check-?up|surgery|interview|court (?:date|hearing)|viewing|consultation|vet|dentist|doctor['’]?s?|"
        r"flight|exam)\b",
    ),
    _rule("emergency contact", 0.9, r"\bemergency contact\b|\bin case of emergency\b"),
    _rule(
        "decision",
        0.8,
        r"\b(?:we|i|they|team|board|user)\b(?:['’]ve| have| has)? (?:finally |just |now )?(?:decided|agreed|chosen|chose|settled on|committed"
        r"|opted|signed off|concluded)\b|\bdecision(?: is|:| was)|\bfinal decision\b|\bgoing with\b",
    ),
)
_NEEDS_TIME: Final = frozenset({"appointment"})


_WHO = re.compile(
    r"^(?:(?:my|our|(?:the )?user['’]s) |(?:i|(?:the )?user)(?:['’]?m| am| is| was| have| has)? )?(?:"
    r"(?:(?:first|last|full|sur|nick) ?)?name\b|(?:is )?called\b|is named\b|goes? by\b|please call (?:me|them)\b"
    r"|(?:is )?(?:lives?|living|based|resid\w+|moved to|(?:originally )?from|born|aged|\d{1,3} years old)\b"
    r"|(?:is )?(?:works?|working|(?:self-)?employed|retired)\b|(?:job|profession|occupation|employer|birthday|home ?town)\b"
    r"|(?:is )?(?:married|single|divorced|engaged|widowed|pregnant|a (?:mother|father|parent))\b)",
    re.IGNORECASE,
)


def detect(text: str) -> Kind:
    """The kind `remember` gives a statement whose caller named none."""
    if _PIN_REQUEST.search(text):
        return "pin"
    if _OUTCOME.search(text) and not _GOAL.search(text):
        return "outcome"
    if _PREFERENCE.search(text):
        return "preference"
    if _GOAL.search(text):
        return "goal"
    return "date" if _names_a_day(text) and _EVENT.search(text) else "fact"


def pin_reason(text: str) -> str | None:
    """Why the statement is key information to be pinned without being asked, or None."""
    rule = _pin_rule(text)
    return rule.reason if rule else None


def pin_importance(text: str) -> float:
    """Importance (0–1) of the pin `pin_reason` calls for; 0 where it calls for none."""
    rule = _pin_rule(text)
    return rule.importance if rule else 0.0


def tells_who(text: str) -> bool:
    """Whether a statement says who the user is: name, age, home, work, family status."""
    return _WHO.match(text) is not None


def priority(text: str) -> int:
    """1 (urgent) to 5 (some day) by the words used; 3 where nothing is said."""
    for level, pattern in _PRIORITIES:
        if pattern.search(text):
            return level
    return 3


_PRIORITIES: Final = (
    (
        5,
        re.compile(
            r"\b(?:some ?day|eventually|no rush|low priority|when i have time|nice to have|at some point)\b", re.I
        ),
    ),
    (
        1,
        re.compile(
            r"\b(?:urgent(?:ly)?|asap|immediately|critical|top priority|as soon as possible|emergency|right away)\b",
            re.I,
        ),
    ),
    (
        2,
        re.compile(
            r"\b(?:important|high priority|must|need(?:s)? to|have to|deadline|don['’]t forget|by (?:the end of|tomorrow))\b",
            re.I,
        ),
    ),
)


def _pin_rule(text: str) -> _PinRule | None:
    for rule in _PIN_RULES:
        if rule.pattern.search(text) and (rule.reason not in _NEEDS_TIME or find(text)):
            return rule
    return None


def _names_a_day(text: str) -> bool:
    return any(mention.form in {"day", "relative", "weekday", "month", "quarter"} for mention in find(text))
