"""Takes a sentence apart into the clauses that state something: no questions, fancies, tales or jokes."""

import re
from dataclasses import dataclass

from chatmem.corrections import settled
from chatmem_summarizer.own_words import BLANK, Sentence


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause a rule may look at. `hedged`: the writer was not sure."""

    text: str
    quote: str
    hedged: bool = False


_I = re.IGNORECASE
_LONGEST = 500
"""Characters; nobody states one thing about themselves at such length, and rules take their time over it."""

_QUESTION_START = re.compile(
    r"^(?:what|how|why|who|which|whose|do (?:you|i|we)|does|did|is (?:it|there|this|that|my|the)|are (?:you|there|we"
    r"|my)"
    r"|was|were|can (?:you|i|we)|could (?:you|i|we)|should|would (?:you|i|it)|will (?:you|i|it|my|the)|have (?:you|i"
    r"|we)"
    r"|has|am i|may i|shall|where (?:is|are|do|can|did|should)|when (?:is|are|do|does|can|did|should|will)"
    r"|any (?:idea|chance|tips|thoughts|suggestions|advice))\b",
    _I,
)

# Whole sentences that state nothing about the writer, whatever they contain.
_NOT_SO = re.compile(
    r"\b(?:suppose|supposing|imagine|imagining|pretend(?:ing)?|hypothetical(?:ly)?|let'?s (?:say|assume|pretend"
    r"|imagine)"
    r"|assum(?:e|ing)|what if|i wish|as if|as though|(?:would|could|should|might)(?:'ve| have)|would've|in theory"
    r"|theoretically|were i|had i|role-?play(?:ing)?|in a parallel|(?:i )?dream(?:ed|t)|in my dreams?|fictional|fiction"
    r"|in (?:the|a|my|this) (?:story|novel|movie|film|game|book|show|series|scenario|example|song|play|script|poem)"
    r"|the (?:character|protagonist|narrator|hero(?:ine)?|lyrics?|quote|article|author|book|prompt) "
    r"|according to|reportedly|rumou?r has it|never said|didn'?t say|did not say|not true|isn'?t true|no longer true"
    r"|don'?t assume|stop (?:saying|telling|assuming)|don'?t think (?:that )?i\b|said no one|sarcas\w+|whether"
    r"|you (?:said|told|mentioned|wrote|think|thought|claimed|remembered|have it)"
    r"|i (?:said|told \w+|lied|joked|claimed|pretended) (?:that )?(?:i|my)\b"
    r"|(?:is|was|were|be|are) (?:a )?(?:joke|kidding|joking)|just kidding|kidding|only joking|jk|/s$)\b",
    _I,
)
_LABEL = re.compile(r"^[A-Z][\w-]*(?: [\w-]+)?: (?=I\b|I'm|[Mm]y\b)")  # `Lyrics: I am …`, `Bob: I live …`
_EXAMPLE = re.compile(r"^(?:so |like |and )?(?:for (?:example|instance)|e\.?g\.?|say|example|like)[,:]? ", _I)
_IF = re.compile(r"\b(?:if|unless|otherwise|in case|provided that|as long as)\b", _I)
_HARMLESS_IF = re.compile(
    r"\bif (?:possible|you (?:can|could|like|want|please|don'?t mind|will|know)|i'?m not mistaken|i'?m honest"
    r"|that (?:helps|matters)|needed|necessary|it (?:helps|matters))\b|\b(?:prefer|like it|appreciate it|be (?:great|nice)) if you\b"
    r"|\bunless (?:i|you|asked|told)\b",
    _I,
)
_REPORT = re.compile(
    r"^(?:(?:and|but|so|then|well|also|yesterday|today|once) )?,?(?:he|she|they|it|someone|somebody|people|everyone"
    r"|everybody|nobody"
    r"|the \w+|a \w+|this \w+|some \w+|my \w+(?: \w+)?|our \w+|[A-Z][\w']+(?: [A-Z][\w']+)?)"
    r"(?: (?:just|always|once|often|also|keeps|really|even|never))* "
    r"(?:said|says?|told|tells|thinks?|thought|claims?|claimed|wrote|writes|asked|asks|replied|believes?|reckons?"
    r"|argues?|"
    r"saying|insists?|insisted|suggests?|suggested|joked?|jokes|sings?|sang|goes)\b",
)
_SARCASM = re.compile(
    r"\b(?:yeah,? right|oh,? (?:great|joy|sure|wonderful|fantastic|perfect|lovely|yes)\b|because who doesn'?t|what "
    r"could go wrong"
    r"|(?:just|simply|really|absolutely) (?:love|adore|enjoy)(?: it)? (?:when|how|waiting|standing|being|paying"
    r"|getting (?:up|stuck)|sitting in)"
    r"|love(?: it)? when (?:things|everything|my|it)|lucky me|so fun\b|not!)",
    _I,
)
_JOKE_AFTER = re.compile(
    r"\b(?:said no one|just kidding|kidding|only joking|just joking|jk|/s|sarcasm|not really|april fools)\b|🙄|😜|🤪|\bnot!$",
    _I,
)
_COPIED_TASK = re.compile(
    r"^(?:(?:please|pls|kindly|now|ok|okay|can you|could you|would you|help me|i need you to|i want you to|i'd like "
    r"you to"
    r"|let's)[ ,]+)*"
    r"(?:write|draft|compose|translate|summari[sz]e|rewrite|rephrase|paraphrase|proof-?read|correct|fix|edit|improve"
    r"|check"
    r"|explain|tell me|show|list|create|make me|generate|find|search|suggest|recommend|calculate|convert|compare"
    r"|describe|analy[sz]e|review|refactor|debug|implement|code|print|sort|act (?:as|like)|sing|quote|repeat|complete"
    r"|continue|define|name (?:a|an|some|three|five|\d)|guess|say|pretend|give me (?:a|an|some|the|\d+)|brainstorm"
    r"|outline"
    r"|finish this|fill in|design me)\b",
    _I,
)
_LEAD_IN = re.compile(
    r"^(?:(?:hi|hello|hey|hiya|good (?:morning|afternoon|evening)|greetings)(?: (?:there|claude|all|everyone|bot"
    r"|again))?[,!]*"
    r"|well|so|ok|okay|yes|yeah|yep|no|nope|sure|right|thanks|thank you|btw|by the way|also|and|but|actually|fyi"
    r"|honestly"
    r"|just so you know|for the record|for your information|for context|for reference|for info|some context|as i said"
    r"|as you know|in fact|of course|oh|ah|hmm+|um+|anyway|anyways|besides|plus|update|good news|bad news|great news"
    r"|sadly|unfortunately|luckily|fortunately|finally|frankly|personally|generally|in general|to be honest|tbh|imo"
    r"|basically"
    r"|since|because|although|though|while|as for me|about me|first|second|secondly|first of all|one more thing|lol"
    r"|haha+"
    r"|nice|great|cool|perfect|sorry|nb|ps|p\.s\.|reminder|important|not sure if i told you|my bad"
    r"|correction"
    r"|i (?:just )?(?:realized|realised|forgot to (?:say|mention|tell you)|should (?:mention|add|say)|mean)(?: that)?"
    r"|you should know(?: that)?|it'?s worth (?:noting|mentioning|knowing) that|the thing is(?: that)?|the truth "
    r"is(?: that)?"
    r"|today|yesterday|these days|nowadays|currently|at the moment|right now|at work|recently|lately|this year|last "
    r"year)"
    r"(?:[,:.!…-]+\s*|\s+)(?=\S)",
    _I,
)
_TOLD = re.compile(
    r"^(?:(?:can|could|would|will) you (?:please )?|please,? |pls |kindly |also,? )?"
    r"(?:remember|note|don'?t forget|do not forget|never forget|keep in mind|bear in mind|make a note|make note"
    r"|memori[sz]e|"
    r"take note|save|store|write down|jot down|please note|also note|remind me)(?: for (?:me|later|the future))?(?: (?:that|of the fact "
    r"that))?[,:]? ",
    _I,
)
_HEDGE_LEAD = re.compile(
    r"^(?:maybe|perhaps|possibly|probably|presumably|potentially|i(?:'m| am)? (?:not (?:entirely |totally |really "
    r"|quite |100% )?"
    r"(?:sure|certain)(?: (?:yet|but))?,?(?: but)?|think|guess|suppose|believe|suspect|imagine|feel like)(?: that)?"
    r"|i might be wrong,? but|if i remember (?:right|correctly),?|chances are|there'?s a chance(?: that)?|it'?s "
    r"possible that"
    r"|could be that|not sure(?: yet)?,?(?: but)?)[, ]+(?=(?:i|i'm|i'll|i'd|my|we|our|the)\b)",
    _I,
)
_HEDGE = re.compile(
    r"\b(?:might|maybe|perhaps|possibly|probably|not (?:entirely |totally |really |quite |100% )?(?:sure|certain"
    r"|decided)|unsure"
    r"|(?:thinking|think) (?:about|of)|considering|toying with|contemplating|wondering|undecided|tentatively|could be"
    r"|hopefully|someday|some day|one day|at some point|who knows|dunno|leaning towards?|tempted to|i guess|i think"
    r"|we'll see"
    r"|don'?t know (?:yet|for sure)|haven'?t decided|in two minds|on the fence|kind of want|sort of want|not yet)\b"
    r"|\b(?:i|we|(?:my|our) \w+) (?:also |still )?may(?! \d)\b",
    _I,
)

_SUBJECT = (
    r"(?:i|i'm|im|i've|ive|i'd|i'll|we|we're|we've|we'll|my|our|he|she|they|it|it's|that's|that (?:is|was)|there|this|what|how|why"
    r"|where|who|can|could|should|would|do|does|did|is|are|please|pls|don't|dont|do not|always|never|call me|remember"
    r"|let's|the)"
)
_BOUNDARY = re.compile(
    rf"(?:,|\s-|\)|!)?\s+(?:and|but|so|because|cause|since|although|though|plus|also|which is why|however|while|yet"
    rf"|then|or)"
    rf"(?: (?:now|then|also|so|yes|please|actually|honestly|recently))?,?\s+(?={_SUBJECT}\b)"
    rf"|,\s+(?:(?:also|so|then|now|and|but)\s+)?(?={_SUBJECT}\b)|\s\(|\)\s"
    r"|,\s+(?=(?:nobody|everybody|everyone|somebody|people)\b)|\s+(?=(?:hes|shes)\b)"
    r"|\s+(?:lol|lmao|haha+|tbh|btw)\s+|\s+(?=(?:can|could|would|will) (?:you|u)\b)",
    _I,
)
_PRONOUN = re.compile(r"(?:i|i'm|im|i've|i'd|i'll|we|we're|we've|we'll|he|she|they|it|it's)\b", _I)
_VERB = re.compile(
    r"\b(?:am|is|are|was|were|be|have|has|had|do|does|did|will|would|can|could|should|might|may|must|live|lives|lived"
    r"|work|works"
    r"|worked|love|loves|like|likes|hate|hates|need|needs|want|wants|prefer|prefers|go|goes|got|get|gets|moved"
    r"|started|starts|study"
    r"|studies|studied|turns|turned|died|passed|plays?|speaks?|use|uses|called|named|\w+'s|\w+'re|\w+'ve|\w+'ll|\w+'m"
    r"|\w+n't|im|ive|dont"
    r"|take|takes|eat|eats|drink|drinks|plan|plans|hope|hopes|decided|bought|\w{2,}ed)\b",
    _I,
)


def clauses(sentence: Sentence, after: Sentence | None) -> list[Clause]:
    """The stating clauses of a sentence. `after` is the next sentence, which may take it all back."""
    text = settled(sentence.text.strip())
    if not states_something(text) or (after is not None and len(after.text) < 40 and _JOKE_AFTER.search(after.text)):
        return []
    unsure = bool(_ALONE.search(text)) or (after is not None and _takes_back_certainty(after.text))
    return [
        Clause(part, sentence.quote, hedged=unsure or hedged or bool(_HEDGE.search(part)))
        for part, hedged in _parts(text)
        if BLANK not in part and len(part) <= _LONGEST
    ]


def states_something(text: str) -> bool:
    """Whether a sentence may be a statement of its writer's at all."""
    bare = _without_lead(text)
    told = _TOLD.match(bare)
    body = bare[told.end() :] if told else bare
    if (
        _LABEL.match(text)
        or _EXAMPLE.match(text)
        or _NOT_SO.search(body)
        or _SARCASM.search(text)
        or _REPORT.match(body)
    ):
        return False
    if _IF.search(text) and not _HARMLESS_IF.search(text):
        return False
    return bool(told) or not _COPIED_TASK.match(bare)


def is_question(text: str) -> bool:
    """Whether a clause asks."""
    bare = _without_lead(text)
    return not _TOLD.match(bare) and (bare.rstrip(" \"')").endswith("?") or bool(_QUESTION_START.match(bare)))


def _takes_back_certainty(after: str) -> bool:
    return len(after) < 30 and bool(
        re.match(r"\W*(?:not sure|i'm not sure|maybe|perhaps|or not|who knows|we'll see)\b", after, _I)
    )


def _parts(text: str) -> list[tuple[str, bool]]:
    """The clauses between boundaries, lead-ins off, and whether a hedge came off with them; questions are left out."""
    whole = _BOTH.sub(r"\g<other> and I ", _without_lead(text))
    cleaned = (_cleaned(piece) for piece in _split(whole) if not is_question(piece))
    return [(clause, hedged) for bare, hedged in cleaned if bare for clause in _with_subjects(bare)]


def _with_subjects(clause: str) -> list[str]:
    """`I'm 35 and want to retire` as two clauses; `I want to live and work in Rome` wants both and stays one."""
    subject = _FIRST_PERSON.match(clause)
    if subject is None:
        return [clause]
    parts: list[str] = []
    start = 0
    for match in _SAME_SUBJECT.finditer(clause, subject.end()):
        if _GOVERNS.search(clause[start : match.start()]):
            break
        parts.append(clause[start : match.start()])
        start = match.end()
    parts.append(clause[start:])
    return [_TAIL.sub("", parts[0]), *(f"{subject['who']} {part}" for part in parts[1:])]


def _split(text: str) -> list[str]:
    """Cuts before a new subject, unless what follows has no verb and so is part of a list."""
    pieces: list[str] = []
    start = 0
    for match in _BOUNDARY.finditer(text):
        nxt = _BOUNDARY.search(text, match.end())
        rest = text[match.end() : nxt.start() if nxt else len(text)]
        if re.search(r"\bbut\b", match.group()) and _LEANS.match(rest):
            continue
        if (_PRONOUN.match(rest) or _VERB.search(rest)) and text[start : match.start()].strip():
            pieces.append(text[start : match.start()])
            start = match.end()
    pieces.append(text[start:])
    return pieces


_LEANS = re.compile(r"(?:it|that|this|they)\b|.{0,40}\b(?:sometimes|occasionally|rarely|at times)\b", _I)
"""`I have a car but it's my brother's`: what takes back or narrows what stands before, and stays with it."""


def _without_lead(text: str) -> str:
    bare = text.strip()
    while match := _LEAD_IN.match(bare):
        bare = bare[match.end() :]
    return bare


_BOTH = re.compile(r"^(?:me|myself) and (?P<other>(?:my|our) [\w-]+(?: (?-i:[A-Z])[\w'-]+)?) ", _I)
_FIRST_PERSON = re.compile(r"(?P<who>I|We|i|we)(?:'\w+)?\b")
_SAME_SUBJECT = re.compile(
    r"(?:,| and|, and| but)(?: (?:also|really|mostly|now))? (?=(?:want|hate|love|like|live|work|need|plan|have|prefer|enjoy|own"
    r"|hope|weigh|drive|study|speak|play|am|can't|don't|teach|moved|used to|run)\b)",
    _I,
)
_GOVERNS = re.compile(
    r"\bto \w+|\b(?:will|would|can|could|should|might|may|must|let's|help)\b|'ll\b|'d\b|\b(?:who|which|that)\b", _I
)
_REMIND = re.compile(r"remind me\W*$", _I)
_ALONE = re.compile(
    r"(?:,|-|\()\s*(?:but )?(?:i'm )?(?:not (?:\w+ )?(?:sure|certain|decided)|maybe|perhaps|unsure|probably|we'll see"
    r"|who knows|i think|i guess)(?: yet| about (?:it|that))?\W*$"
    r"|^(?:i'm )?not (?:\w+ )?(?:sure|certain|decided)(?: yet)?,? (?:but|though)\b",
    _I,
)
"""A hedge that stands alone counts for the whole sentence: `…, not sure`."""
_TAIL = re.compile(
    r"(?:[\s,;:.!?…)\-–—]|[\U0001F000-\U0001FAFF\u2600-\u27BF\uFE0F]|:\)|:-\)|;\)"
    r"|,? (?:lol|haha+|btw|by the way|you know|right|ok|okay|thanks|thank you|thx|please|pls|too|as well|though"
    r"|actually|anyway"
    r"|i guess|i think|for sure|not sure(?: yet)?|to be honest|tbh|honestly|in case you (?:were )?wonder(?:ing|ed)?"
    r"|fyi|ha|xd))+$",
    _I,
)


def _cleaned(piece: str) -> tuple[str, bool]:
    bare, hedged = _without_lead(piece), False
    told = _TOLD.match(bare)
    if told and not _REMIND.search(told.group()):
        bare = _without_lead(bare[told.end() :])
    while hedge := _HEDGE_LEAD.match(bare):
        bare, hedged = _without_lead(bare[hedge.end() :]), True
    bare = _TAIL.sub("", bare).strip()
    return (f"{bare})" if bare.count("(") > bare.count(")") else bare), hedged
