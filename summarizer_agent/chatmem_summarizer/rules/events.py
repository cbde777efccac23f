"""Rules for what happens on a day: appointments, birthdays, trips, deadlines of events."""

import re
from datetime import date, datetime, time

from chatmem_summarizer import dates
from chatmem_summarizer.clauses import Clause
from chatmem_summarizer.restate import capitalised, inner, third_person, without_my
from chatmem_summarizer.rules.rule import Draft, Rule, Scene, dated, first_date

_I = re.IGNORECASE
_EVENT = re.compile(
    r"\b(?:off-?site|meeting|appointment|wedding|birthday|anniversary|flight|exams?|test|interview|deadline|launch|release"
    r"|conference|trip|vacation|holidays?|party|dinner|lunch|concert|check-?up|surgery|operation|visit|presentation|demo"
    r"|review|graduation|ceremony|funeral|delivery|move|marathon|race|game|match|recital|festival|call|workshop|training"
    r"|course|class|school|semester|term|kick-?off|retreat|reunion|hearing|court date|due date|renewal|expiry|inspection"
    r"|viewing|closing|go-live|cutover|audit|session|webinar|hackathon|gala|performance|shift|train|bus|ferry|cruise|visa"
    r"|passport|lease|contract|subscription|warranty|licen[cs]e|insurance|rent|payment|tax(?:es)?|first day|last day"
    r"|start date|paper|thesis|assignment|homework|project|sprint|report|submission|application|talk|lecture|tournament"
    r"|camp|parents' evening|prom|baby shower|stag do|honeymoon|colonoscopy|mri|scan|vaccination|shot|physio|therapy"
    r"|dentist|doctor|vet|date night|reservation|booking|standup|1:1|one-on-one|onboarding|probation|trial|semifinal|final)\b",
    _I,
)
_APPOINTMENT = re.compile(
    r"\b(?:appointment|flight|surgery|operation|interview|exam|hearing|court date|mri|scan|check-?up|colonoscopy|visa"
    r"|passport|dentist|doctor|wedding|train|ferry)\b",
    _I,
)
_SUBJECT = r"(?P<subject>(?:(?i:dentist|doctor|vet|flight|train|meeting|appointment|exam|interview|surgery|wedding)|(?i:my|our|the)|[A-Z]\w*(?:'s)?|(?i:mom|mum|dad)'s)(?: [\w'&/.:-]+){0,7}?)"
_HAPPENS = (
    r"(?P<verb>is|are|'s|was|will be|moved|has been|have been|starts?|begins?|ends?|takes? place|happens?|falls|expires?|leaves"
    r"|departs|lands|arrives|opens|closes|got moved|runs?|kicks off|resumes|renews|closes|finishes|ships|got|goes live)"
)
_PLANNED = r"(?: (?:now|also|actually|only|always|officially|tentatively))?(?: (?:re)?(?:scheduled|planned|set|booked|moved|postponed|confirmed|pushed|due))?"
_IS_ON = re.compile(rf"^{_SUBJECT} ?{_HAPPENS}\b{_PLANNED}(?P<between>.*)$")
_NO_SUBJECT = re.compile(r"(?:I|I'm|We|We're|It|This|That|There|He|She|They|You|What|Today|Tomorrow|Yesterday)\b")
# Between the verb and the date only such words may stand, unless the subject plainly is an event.
_FILLER = re.compile(
    r"(?:on|at|in|for|by|the|from|to|until|till|this|next|around|about|early|late|mid|exactly|due|again|only|now|back|every year"
    r"|of|after|before|between|scheduled|set|moved|coming(?: up| over| to visit)?|visiting|arriving|staying|in town|,|\W|\d{1,2}(?::\d\d)? ?(?:am|pm)?)*",
    _I,
)
_OWN = re.compile(r"(?:my|our)\b|\w+'s\b", _I)
_WORLD = re.compile(
    r"\b(?:war|revolution|empire|election|olympics|world cup|moon|battle|treaty|century|president|king|queen)\b", _I
)
_HAVE = re.compile(
    r"(?:i|we)(?: also| just| already| still)*(?:'ve got|'ve| have| 'll have| will have| booked| scheduled| got| made)(?! to\b)"
    r"(?: (?:also|just|already|got|booked|scheduled))* (?P<what>.+)",
    _I,
)
_MOVING = (
    r"flying|fly|travell?ing|travel|going|moving|visiting|leaving|leave|starting|start|getting (?:married|divorced|surgery)"
    r"|retiring|graduating|heading|back|away|off|out of (?:the )?office|ooo|on (?:vacation|holiday|leave|call|pto"
    r"|(?:parental|maternity|paternity|sick) leave)|in [A-Z]\w+|having (?:surgery|an?|my)|running|hosting|attending|taking"
    r"|presenting|speaking|seeing|meeting|picking up|due"
)
_GOING = re.compile(
    rf"^(?:i'm|im|i am|we're|we are|i'll be|we'll be|i will be|we will be|i|we)(?: (?:also|finally|probably|all|both|just))*"
    rf" (?P<verb>{_MOVING})\b.*",
    _I,
)
_INTENDS = re.compile(r"^\S+(?: am| are)? going to (?!(?:the|a|an|my|our)\b|[A-Z])")
_BORN = re.compile(r"^(?:i was|i'm|my .{2,40} was|[A-Z]\w+ was) born (?:on|in) ", _I)
_YEARLY = re.compile(r"\b(?:birthday|anniversary)\b", _I)
_REMIND = re.compile(r"(?:(?:please|pls|can you|could you),? )*(?:remind me|don't let me forget)(?P<what> .{6,})", _I)
_REMIND_OF_NOTHING = re.compile(r" (?:of |about )?(?:what|how|why|who|that (?:thing|time)|again)\b", _I)


def _is_on(clause: Clause, scene: Scene) -> Draft | None:
    """`my team offsite is on March 15`; with `the` or a bare name, only what people have appointments for."""
    text = _ITS_DAY.sub(r"\g<whose> is", clause.text)
    match = _IS_ON.match(text)
    when = first_date(text, scene, past=match is not None and _over(match))
    if match is None or when is None or when.start < match.start("between") or _NO_SUBJECT.match(text):
        return None
    if _DENIED.search(text[match.start("verb") : when.start]) or (_over(match) and not _YEARLY.search(text)):
        return None
    return _draft(without_my(text), clause, scene, when) if _for_us(match, when, scene) else None


def _for_us(match: re.Match[str], when: dates.When, scene: Scene) -> bool:
    """Whether it is an appointment, or something of the writer's with the day right after it."""
    subject = match["subject"]
    if _WORLD.search(subject):
        return False
    close = bool(_FILLER.fullmatch(match.string[match.start("between") : when.start]))
    if subject[0].islower() and not _OWNED.match(subject):  # `train is late today` tells of no appointment
        return close and when.last > scene.written.date()
    own = _OWN.match(subject) and match["verb"].lower() != "moved"
    return bool(_EVENT.search(subject)) or bool(own and close and when.grain in {"day", "week"})


_OWNED = re.compile(r"(?:my|our|the|\w+'s)\b", _I)


_ITS_DAY = re.compile(
    r"^it'?s (?P<whose>(?:my|our) (?:[\w'-]+ ){0,3}(?:birthday|anniversary|wedding|graduation))\b", _I
)
_DENIED = re.compile(r"\b(?:not|never)\b|n't\b", _I)


_ANEW = re.compile(r" (?:now |just )?(?:re)?(?:scheduled|planned|set|booked|moved|postponed|pushed)\b", _I)


def _over(match: re.Match[str]) -> bool:
    """`my exam was on March 3`, which `was moved to March 3` is not."""
    return match["verb"].lower() == "was" and not _ANEW.match(match.string, match.end("verb"))


def _have(clause: Clause, scene: Scene) -> Draft | None:
    """`I have a dentist appointment on March 3 at 10am`."""
    match = _HAVE.match(clause.text)
    when = first_date(clause.text, scene)
    if match is None or when is None or when.last < scene.written.date():
        return None
    if not (_EVENT.search(clause.text[: when.start]) or re.search(r"\b(?:scheduled|booked|planned)\b", match["what"])):
        return None
    return _draft(third_person(clause.text), clause, scene, when)


def _going(clause: Clause, scene: Scene) -> Draft | None:
    """`I'm flying to Tokyo on 3 May`: only with a day or a week, and not in the past."""
    match = _GOING.match(clause.text)
    when = first_date(clause.text, scene)
    if match is None or when is None or when.last < scene.written.date() or _INTENDS.match(clause.text):
        return None
    if when.grain not in {"day", "week"} and "married" not in match["verb"].lower():
        return None
    return _draft(third_person(clause.text), clause, scene, when)


def _born(clause: Clause, scene: Scene) -> Draft | None:
    """A date of birth: its due time is the next birthday."""
    if not _BORN.match(clause.text):
        return None
    when = first_date(clause.text, scene, past=True)
    text = without_my(clause.text) if clause.text.lower().startswith("my") else third_person(clause.text)
    if when is None or when.grain != "day":
        return Draft("facts", text)
    return Draft("dates", text, due=_next_anniversary(when, scene), importance=0.7)


def _remind(clause: Clause, scene: Scene) -> Draft | None:
    """`remind me to call the dentist tomorrow`, `don't let me forget to …`."""
    match = _REMIND.match(clause.text)
    if match is None or _REMIND_OF_NOTHING.match(match["what"]):
        return None
    when = first_date(clause.text, scene)
    what = re.sub(r"^ (?:to |about |of |that )?", "", match["what"])
    due = when.deadline(scene.zone) if when else None
    return Draft("goals", dated(capitalised(inner(what)), clause.text, scene), due=due, importance=0.7)


def _draft(text: str, clause: Clause, scene: Scene, when: dates.When) -> Draft:
    pinned = bool(_APPOINTMENT.search(clause.text)) and when.grain == "day" and when.last >= scene.written.date()
    due = when.moment(scene.zone) if when.grain in {"day", "week"} else None
    if when.grain == "day" and _YEARLY.search(clause.text):
        due = _next_anniversary(when, scene)
    return Draft("dates", dated(text, clause.text, scene), due=due, importance=0.8 if pinned else 0.7, pin=pinned)


def _next_anniversary(when: dates.When, scene: Scene) -> datetime:
    """The next time that day of the year comes round; 29 February waits for a leap year."""
    today = scene.written.date()
    days = (_on(when.first, year) for year in range(today.year, today.year + 9))
    day = next((day for day in days if day is not None and day >= today), when.first)
    return datetime.combine(day, time(0), scene.zone)


def _on(day: date, year: int) -> date | None:
    try:
        return day.replace(year=year)
    except ValueError:
        return None


RULES: tuple[Rule, ...] = (_remind, _born, _is_on, _have, _going)
