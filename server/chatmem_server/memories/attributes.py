"""What a statement says about an attribute that holds one value at a time: residence, employer, a date of an event, a dose.

Two statements with the same subject and attribute but another value contradict each other.  Attributes that hold several
values at once (likes, pets, languages, allergies) are left out on purpose: a second value is no contradiction.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from chatmem_server.caches import of_texts
from chatmem_server.dates.date_mentions import Mention
from chatmem_server.memories.claims import claims, content_stems, plain, tokens_of
from chatmem_server.memories.dedup_guards import SELF, read
from chatmem_server.memories.values import JOBS, chooses, employs, is_favoured, is_job, measures, names
from chatmem_server.text.lexicon import STOP_WORDS
from chatmem_server.text.stemming import stem
from chatmem_server.text.synonyms import CONTRAST, canonical, same_phrases
from chatmem_server.text.word_lists import words_of


@dataclass(frozen=True, slots=True)
class Attribute:
    """`subject` is 'self', a role ('wife') or a name; `value` is a set of stems, numbers or date keys.

    `which` tells one of several in a role from another: the name, or `older`.
    """

    subject: str
    name: str
    value: frozenset[str]
    which: frozenset[str] = frozenset()

    def contradicts(self, other: "Attribute") -> bool:
        """Same subject and attribute, and neither value contains the other: Lisbon, Portugal refines Lisbon."""
        same = (self.subject, self.name) == (other.subject, other.name)
        if self.which and other.which and not self.which & other.which:
            return False
        return same and not (self.value <= other.value or other.value <= self.value)


_LONGEST: Final = 1_000  # characters; a longer text is no statement of one value, and patterns would be slow on it


@of_texts
@lru_cache(maxsize=4_096)
def attributes(text: str) -> tuple[Attribute, ...]:
    """The single-valued attributes a statement gives; none for what is only wished, planned, or over."""
    if len(text) > _LONGEST:
        return ()
    text = " ".join(text.split())
    if read(text).unsure and not _SCHEDULED.search(text):
        return ()
    words = _TITLE.sub(r"\1", same_phrases(plain(text)))
    found = [attribute for rule in _RULES for attribute in _apply(rule, words)]
    return (*found, *_event_dates(words), *_deadlines(words))


@dataclass(frozen=True, slots=True)
class _Rule:
    name: str
    pattern: re.Pattern[str]
    value: Callable[[str], frozenset[str]]


def _apply(rule: _Rule, text: str) -> Iterator[Attribute]:
    for match in rule.pattern.finditer(text):
        value = rule.value(match["value"])
        what = match.groupdict().get("what")
        if value and not _DENIED.search(text[: match.start()]):
            name = f"{rule.name}:{_noun_key(what + _scope(text, match))}" if what else rule.name
            yield Attribute(_subject(text, match), name, value, _which(text[: match.start()]))


def _scope(text: str, match: re.Match[str]) -> str:
    """What the value holds for, said after it: "… is 123 for the dev environment"."""
    scope = _SCOPE.match(text, match.end())
    return scope[0] if scope else ""


def _event_dates(text: str) -> Iterator[Attribute]:
    """`the offsite is on March 15`, `my appointment moved to Friday at 3pm`: one day and one hour per event."""
    match = _EVENT.search(text)
    if not match or _DENIED.search(text) or not (event := _noun_key(match["what"])):
        return
    mentions = [m for m in claims(text).mentions if m.start >= match.start("when")]
    happens = _happening(match["verb"], text[match.start("when") : mentions[0].start]) if mentions else None
    if happens is None:
        return
    days = frozenset(m.key() for m in mentions if m.form not in {"clock", "part"} and not _returns(m, text))
    hours = frozenset(m.key() for m in mentions if m.form == "clock")
    for name, value in (("day", days), ("hour", hours)):
        if value:
            subject = "+".join(sorted(read(match[0]).persons)) or SELF
            yield Attribute(subject, f"{name} of:{event} {happens}".rstrip(), value)


def _happening(verb: str, before_date: str) -> str | None:
    """What happens on the date: nothing but the event itself, its end, its being open; None for what is past."""
    said = {canonical(s) for s in content_stems(before_date)} | {m[1].lower() for m in _ON_OR_OFF.finditer(before_date)}
    verb = verb.lower()
    done = canonical(stem(verb))
    if {done, *said} & _MOVED:
        return ""
    if verb in _PAST:
        return None
    return " ".join(sorted(said - _ARRANGED | ({done} if verb in _ENDS else set())))


def _returns(mention: Mention, text: str) -> bool:
    """`on Mondays`: there may be more such days, unless it is said that they changed."""
    return mention.form == "weekday" and mention.text.lower().endswith("days") and not _CHANGED.search(text)


def _deadlines(text: str) -> Iterator[Attribute]:
    """`I need to launch the integration by Q2 2026`: one deadline per thing to be done."""
    match = _DEADLINE.search(text)
    days = _dates(match["when"]) if match else frozenset[str]()
    if match and days and not _DENIED.search(text) and (task := _noun_key(match["what"])):
        yield Attribute("+".join(sorted(read(match["what"]).persons)) or SELF, f"deadline of:{task}", days)


def _subject(text: str, match: re.Match[str]) -> str:
    """Whoever is named before the value: a role, else a name, else a thing ("my company", "cat"), else the speaker."""
    clause = _CLAUSE_END.split(text[: match.start()])[-1]
    roles = read(text[: match.start("value")]).persons
    names = (claims(text).entities & set(tokens_of(clause))) - _NO_SUBJECT
    return "+".join(sorted(roles or names)) or _thing(clause) or SELF


def _thing(clause: str) -> str:
    """The thing of which something is said after this; empty where the speaker speaks of themselves: "currently", "I also"."""
    clause = _COPULA.sub("", clause)
    owned = _OWNED.match(clause)
    what = owned["what"] if owned else clause
    words = tokens_of(what)
    others = any(word in _NO_SUBJECT or word.endswith("ly") or not word[0].isalpha() for word in words)
    if not 1 <= len(words) <= 3 or others or claims(what).mentions or (not owned and is_job(what)):
        return ""
    return _noun_key(what)


_PARTICLE = re.compile(r"(?<=\w)-(?=(?:in|out|up|off|on|down)\b)", re.IGNORECASE)
"""A check-in is no check-out: alone the particle counts for nothing."""

_CLAUSE_END = re.compile(r"[.,;:!?] ")
_COPULA = re.compile(r"(?:^|\s+)(?:is|are|was|were|has been|have been)\s*$", re.IGNORECASE)
_OWNED = re.compile(  # "half of my team", but neither "after the divorce" nor "I'm a vegan"
    r"(?!(?:after|since|in|on|at|as|during|from|until|with|for|because|due|by)\b)"
    r"(?:.*(?<!\bis)(?<!\bam)(?<!'m)(?<!\bare)(?<!\bwas)\s)?(?:my|our|their|the user's|user's|the|an?) (?P<what>.+)",
    re.IGNORECASE,
)


def _which(before: str) -> frozenset[str]:
    """What is said of a role besides: "my sister Nora", "my older sister"."""
    said = read(before)
    return frozenset(said.content) if said.persons else frozenset()


def _noun_key(text: str) -> str:
    text = _PARTICLE.sub("", text)
    return " ".join(sorted({canonical(s) for s in content_stems(text)} - _LABEL_NOISE))


def _stems(text: str) -> frozenset[str]:
    found = claims(text)
    words = {canonical(s) for s in content_stems(_without_dates(text))} | found.numbers
    return frozenset(words - _VALUE_NOISE)


def _without_dates(text: str) -> str:
    for mention in reversed(claims(text).mentions):
        text = text[: mention.start] + text[mention.end :]
    return text


def _amount(text: str) -> frozenset[str]:
    return claims(text).quantities


def _dates(text: str) -> frozenset[str]:
    return claims(text).dates


def _raw(text: str) -> frozenset[str]:
    return frozenset({re.sub(r"[\s().-]", "", text.lower().rstrip(".!?,;"))}) - {""}


def _name(text: str) -> frozenset[str]:
    return frozenset(tokens_of(text)) - _VALUE_NOISE


def _place(text: str) -> frozenset[str]:
    return _stems(text) - _NO_PLACE


def _destination(text: str) -> frozenset[str]:
    """A place one may live in: people move to Linux, to the window and to sales, too."""
    place = _place(text)
    named = {word for word in place if word[0].isalpha()}
    return place if named - CONTRAST.keys() else frozenset()


def _if(holds: Callable[[str], bool], value: Callable[[str], frozenset[str]]) -> Callable[[str], frozenset[str]]:
    return lambda text: value(text) if holds(text) else frozenset()


def _rule(name: str, pattern: str, value: Callable[[str], frozenset[str]]) -> _Rule:
    return _Rule(name, re.compile(pattern, re.IGNORECASE), value)


_END = (
    r"(?=\s+(?:now|with|since|because|and|but|for|as|last|this|these|where|which|who|so|after|when|while|until|right|anymore|any more|"
    r"again|instead|by|at the moment|from now|in (?:19|20)\d\d|not)\b|\s*[;!?()]|,(?!\s*(?-i:[A-Z]))|\.(?:\s|$)|\s*$)"
)
_VALUE = r"(?P<value>[^;!?()\n]+?)" + _END
_TITLED = r"(?P<value>(?:[\w'/&+-]+ ){0,4}?[\w'/&+-]+)(?=\s+(?:at|for|in|with|on|of|by|from|who|and|but|since)\b|[,.;!?()]|\s*$)"
_THE_COUNTRIES = (
    r"(?:netherlands|u\.?s|u\.?k|united|philippines|czech|north|south|east|west|midlands|balkans|caribbean|middle|far)"
)
_CLUB = (
    r"(?:[\w'-]+ ){0,4}?(?:gym|club|choir|band|orchestra|team|league|class|course|church|group|community|forum|server|channel|party|union|"
    r"discord|slack|facebook|instagram|twitter|reddit|linkedin|tiktok|whatsapp|telegram|signal|mastodon|netflix|spotify)\b"
)
_NOW = r"(?:now |currently |recently |just |also |happily |still |actually )*"
# Nouns that name one thing a person has at a time; what they are called is in the label, "dev account number".
_NAMED = (
    r"(?:car|phone|laptop|computer|bank|doctor|gp|dentist|therapist|boss|manager|landlord|school|university|gym|room|seat|address|"
    r"blood type|nationality|religion|operating system|os|browser|mother tongue|nickname|surname|last name|first name|middle name|"
    r"provider|employer|team|department|plan tier|star sign|time ?zone)"
)
_MEASURED = (
    r"(?:salary|rent|budget|size|height|weight|zip ?code|post ?code|number|phone(?: number)?|mobile(?: number)?|commute|bedtime|target|"
    r"limit|quota|version|shoe size|id|code|pin)"
)
_CHOSEN = r"(?:username|handle|major|editor|ide|e-?mail(?: address)?|first language|native language|currency)"
_OWNER = (
    r"(?:\b(?:my|our|their|the|user's|the user's|(?:wife|husband|mother|father|son|daughter|brother|sister)'s)\s+|^)"
)
_COMES_TO = (
    rf"(?:\s+is|\s+are|\s+changed to|\s+was changed to|\s+went (?:up|down) to|:)\s+{_NOW}(?:an?\s+|the\s+)?{_VALUE}"
)
_BEFORE_WORK = "".join(
    rf"(?<!\b{word} )"
    for word in "finish finishes start starts to leave leaves after before volunteer of the do does from at off my this hard".split()
)
_RULES: Final = (
    _rule("residence", rf"\b(?:lives?|living|resides?|residing|based|settled|have lived|has lived)\s+{_NOW}(?:in|at|near(?! (?:the|an?|my|our)\b))\s+{_VALUE}", _place),
    _rule("residence", rf"\b(?:moved|relocated)\s+{_NOW}(?:back\s+)?(?:from [\w ]+? )?(?:house )?to\s+{_VALUE}", _destination),
    _rule("residence", rf"\b(?:home(?: ?town)? (?:city )?is|home is in|residence is)\s+{_NOW}(?:in\s+)?{_VALUE}", _place),
    _rule("origin", rf"\b(?:i'm|i am|user is|is|are|come|comes)\s+(?:originally\s+)?from\s+(?!the (?!{_THE_COUNTRIES})){_VALUE}", _place),
    _rule("employer", rf"{_BEFORE_WORK}\b(?:works?(?! out\b)|working(?! out\b))\s+(?:[\w-]+\s+){{0,6}}?(?:at|for)\s+{_VALUE}", _if(employs, _place)),
    _rule("employer", rf"\b(?:employed|have a job|has a job|new job)\s+(?:[\w-]+\s+){{0,6}}?(?:at|for|by)\s+{_VALUE}", _if(employs, _place)),
    _rule("employer", rf"\b(?:i'm|i am|user is|is)\s+{_NOW}an?\s+(?:[\w-]+ ){{0,4}}?{JOBS} (?:at|for)\s+{_VALUE}", _if(employs, _place)),
    _rule("employer", rf"\b(?:hired by|employer is|switched jobs to)\s+{_NOW}{_VALUE}", _if(employs, _place)),
    _rule("employer", rf"\b(?:joined|started at|start(?:ed)? working (?:at|for))\s+(?!{_CLUB})(?=(?-i:[A-Z])){_VALUE}", _place),
    _rule("job", rf"\b(?:works?|working|employed|hired)\s+{_NOW}as\s+(?!(?:hard|long|much|well|usual|needed|expected|planned)\b)(?:an?\s+|the\s+)?{_TITLED}", _stems),
    _rule("job", rf"\bpromoted\s+{_NOW}to\s+(?:an?\s+|the\s+)?{_TITLED}", _stems),
    _rule("job", rf"\b(?:job(?: title)?|role|title|position|profession|occupation) is\s+{_NOW}(?:an?\s+|the\s+)?{_TITLED}", _if(is_job, _stems)),
    _rule("job", rf"\b(?:i'm|i am|user is|they're|is|became)\s+{_NOW}an?\s+(?P<value>(?:[\w-]+ ){{0,3}}?{JOBS})\b", _stems),
    _rule("name", rf"(?<!'s )(?:\b(?:my|user's|the user's|their)\s+|^)(?:full )?name(?:'s| is)\s+{_NOW}(?P<value>[^\W\d]+(?:[ -][A-Z]\w+)*)", _name),
    _rule("called", r"\b(?:please )?(?:call (?:me|them)|address (?:me|them) as|i go by|goes by)\s+(?P<value>(?-i:[A-Z])[^\W\d]+)", _if(names, _name)),
    _rule("name", r"\b(?:wife|husband|spouse|partner|mother|mom|mum|father|dad|girlfriend|boyfriend|boss|manager|fianc[eé]e?)(?:'s name)? "
          r"(?:is|is called|is named)\s+(?P<value>(?-i:[A-Z]\w+))", _name),
    _rule("birthday", rf"\b(?:birthday|bday|date of birth)(?:'s| is| falls|:)\s+{_NOW}(?:on\s+)?(?P<value>.+)", _dates),
    _rule("birthday", r"\b(?:born)\s+(?:on|in)\s+(?P<value>.+)", _dates),
    _rule("anniversary", r"\banniversary\s+(?:is|falls)\s+(?:on\s+)?(?P<value>.+)", _dates),
    _rule("favourite", rf"\bfavou?rite\s+(?P<what>[\w -]{{2,40}}?)(?:\s+is|\s+are|\s+changed to|\s+has become|:)\s+{_NOW}{_VALUE}", _if(is_favoured, _stems)),
    _rule("favourite", r"(?P<value>[\w' -]{2,40}?)\s+(?:is|are)\s+(?:now )?(?:my|user's|the user's|his|her|their)\s+(?:new )?favou?rite\s+"
          r"(?P<what>[\w -]{2,40}?)(?=[,.;!?]|\s*$)", _stems),
    _rule("relationship", rf"\b(?:i'm|i am|user is|they're|is|are|got|we're|we are|status is|status:)\s+{_NOW}"
          r"(?P<value>married|single|divorced|separated|engaged|widowed|in a relationship)\b(?!\s+(?:parent|mother|father|dad|mum|mom|in|with work|malt|origin))", _raw),
    _rule("diet", rf"\b(?:i'm|i am|user is|they're|is|became|turned|went|gone|going|follow(?:s|ing)?|on|eat(?:s|ing)?)\s+{_NOW}(?:an?\s+)?(?:strict\s+)?"
          r"(?P<value>vegan|vegetarian|pescatarian|omnivore|flexitarian|carnivore|keto|paleo|halal|kosher)\b", _raw),
    _rule("age", rf"\b(?:i'm|i am|user is|they're|is|turned|age is|aged)\s+{_NOW}(?P<value>\d{{1,3}}|[a-z]+(?:-[a-z]+)?)(?=\s+years?\b(?! (?:in|into|of|at|as|ago|later)\b)|\s+now\b|[,.;!?]|\s*$)", _amount),
    _rule("weight", rf"\b(?:weighs?|weight is)\s+{_NOW}(?P<value>[\d.]+\s*\w+)", _amount),
    _rule("height", rf"\b(?:i'm|i am|is|height is)\s+{_NOW}(?P<value>[\d.]+\s*(?:cm|m|ft|feet|metres|meters))\b(?! (?:away|from))", _amount),
    _rule("dose", rf"\b(?:takes?|taking|on|prescribed|dose is|dosage is)\s+{_NOW}(?P<value>[\d.,]+\s*(?:mg|mcg|g|ml|iu|units?|milligrams?|tablets?|pills?))"
          r"(?:\s+of)?\s+(?P<what>[a-z]+(?:[ -][a-z]+)?)(?=\s+(?:every|each|in|at|per|once|twice|daily|a|before|after|now|for|instead)\b|[,.;!?]|\s*$)", _amount),
    _rule("dose", rf"\b(?P<what>[a-z]+) (?:dose|dosage)\s+(?:is|was (?:raised|lowered|changed|increased|reduced) to|went (?:up|down) to)\s+{_NOW}(?P<value>[\d.,]+\s*\w+)", _amount),
    *(
        _rule("has", rf"{_OWNER}(?P<what>(?:[\w'-]+ ){{0,4}}?{nouns}(?: for [\w ]+?)?){_COMES_TO}", _if(holds, _stems))
        for nouns, holds in ((_NAMED, names), (_MEASURED, measures), (_CHOSEN, chooses))
    ),
    _rule("phone", r"\b(?P<what>(?:[a-z]+ )?(?:phone|mobile|cell|telephone)(?: number)?) (?:is|changed to)(?: now)?\s+(?P<value>\+?[\d][\d ().-]{5,})", _raw),
    _rule("email", r"\b(?P<what>(?:[a-z]+ )?e-?mail(?: address)?) (?:is|changed to)(?: now)?\s+(?P<value>\S+@\S+)", _raw),
    _rule("time zone", rf"\btime ?zone\s+(?:is|changed to|to)\s+{_NOW}{_VALUE}", _if(names, _stems)),
    _rule("choice", r"\bprefers?\s+(?P<what>(?P<value>[\w' -]{2,40}?)\s+(?:over|to|rather than|instead of)\s+[\w' -]{2,40})", _stems),
    _rule("reply language", r"\b(?:reply|answer|respond|write|talk|speak)(?: to (?:me|them)| me| them)?(?: always)? in\s+(?P<value>[A-Za-z]+)\b"
          r"(?! (?:to|with|at|in) (?!me\b|them\b))", _stems),
    _rule("mode", r"\bprefers?\s+(?P<value>dark|light)\s+(?:mode|theme)", _raw),
    _rule("length", r"\b(?:prefers?|likes?|wants?|give me|keep)\s+(?:\w+ )?(?P<value>concise|short|brief|detailed|long|thorough)\s+(?:and \w+ )?"
          r"(?:answers?|responses?|repl(?:y|ies)|explanations?|messages?|summaries)\b(?! (?:in|at|on|for|about|when) )", lambda text: frozenset({"long"} if text.lower() in {"detailed", "long", "thorough"} else {"short"})),
    _rule("units", r"\bprefers?\s+(?:the\s+)?(?P<value>metric|imperial|celsius|fahrenheit)\b", lambda text: frozenset({"metric" if text.lower() in {"metric", "celsius"} else "imperial"})),
)  # fmt: skip
_SCOPE = re.compile(r"\s+(?:for|in|on|at) (?:the |my |their )?[\w -]+", re.IGNORECASE)
_EVENT = re.compile(
    r"(?:\b(?:the|my|our|their|user's|'s|next)\s+|^)(?P<what>(?:[\w'-]+ ){0,5}?[\w'-]+?)\s+"
    r"(?P<verb>is|are|will be|falls|takes place|starts|begins|ends|finishes|opens|closes|leaves|departs|lands|arrives|expires|happens|has been|was|"
    r"were|got|moved(?! (?:in|out)\b)|shifted|rescheduled|postponed|due)\b(?P<when>\s.*)",
    re.IGNORECASE,
)
_ENDS: Final = words_of("ends finishes opens closes leaves departs lands arrives expires due")
_PAST: Final = frozenset({"has been", "was", "were", "got"})
_MOVED: Final = frozenset(
    canonical(stem(w)) for w in words_of("moved shifted rescheduled postponed pushed delayed changed brought")
)
_ARRANGED: Final = frozenset(
    canonical(stem(w))
    for w in words_of("scheduled planned set fixed booked confirmed held expected supposed taking place definitely")
)
_ON_OR_OFF = re.compile(
    r"\b(on|off|in|out|up|down|over|away|back|here|there)(?=\s+(?:in|on|at|from|until|till|since|by)\b)", re.IGNORECASE
)
_CHANGED = re.compile(r"\b(?:now|moved|shifted|rescheduled|changed|instead|no longer)\b", re.IGNORECASE)
_DEADLINE = re.compile(
    r"\b(?:needs?|wants?|has|have|must|plans?|aims?|hop(?:es?|ing)|goal(?: is)?|going|trying|intends?)\s+(?:to\s+)?(?P<what>.+?)\s+"
    r"(?:by|before|until|no later than)\s+(?P<when>.+)",
    re.IGNORECASE,
)
_SCHEDULED = re.compile(r"\b(?:due|deadline|scheduled|planned for|should be|needs? to|by)\b", re.IGNORECASE)
_DENIED = re.compile(r"(?:\b(?:not|never|no longer|used to|formerly|previously|former)\b|n't\b)", re.IGNORECASE)
_TITLE = re.compile(r"\b(Dr|Mr|Mrs|Ms|Prof|St)\.(?= )")
_VALUE_NOISE: Final = frozenset(
    stem(w)
    for w in [
        "now",
        "currently",
        "recently",
        "new",
        "just",
        "also",
        "the",
        "a",
        "an",
        "city",
        "town",
        "area",
        "called",
        "named",
        "still",
    ]
)
_LABEL_NOISE: Final = frozenset(
    stem(w)
    for w in words_of(
        "new current upcoming next now own rather instead marital civil relationship real full legal body"
    )
)
_NO_SUBJECT: Final = STOP_WORDS | words_of(
    """
    after before since until while because during between recently finally soon later today yesterday tomorrow tonight
    only mainly once people everyone everybody nobody somebody someone friends like likes want wants born
    """
)
_NO_PLACE: Final = frozenset(
    stem(w)
    for w in [
        "home",
        "night",
        "least",
        "moment",
        "myself",
        "peace",
        "fear",
        "free",
        "alone",
        "together",
        "part-time",
        "full-time",
        "remote",
        "office",
        "team",
        "department",
        "marketing",
        "sales",
        "engineering",
        "management",
        "support",
    ]
)
