"""Rules for tastes, diets and standing instructions on how to be answered."""

import re

from chatmem_summarizer.clauses import Clause
from chatmem_summarizer.restate import capitalised, inner, third_person
from chatmem_summarizer.rules.rule import Draft, Rule, Scene, owns, states

_ADV = (
    r"(?: (?:really|absolutely|also|just|personally|generally|usually|always|still|totally|truly|definitely|strongly"
    r"|much|especially|particularly|actually|kinda|both|mostly|genuinely|secretly|do|tend to))*"
)
_VAGUE = re.compile(
    r"(?:it|that|this|these|those|them|him|her|you|your|yours|u|everything|nothing|what|how|who|where|the (?:idea|way"
    r"|look|sound|part|fact|answer|response|result|plan|design|version|draft|suggestion"
    r"|option|first|second|third|last|new|one|other|same|thought|concept|joke|output|code|update|explanation|tone"
    r"|vibe|changes?)|(?:not )?to (?:see|hear|know|point|say|think|ask|believe|thank|add|mention|clarify|understand|try"
    r"|discuss|talk|get|be able|start|begin|keep in)\b"
    r"|so much|a lot|my life|myself|some(?:thing| of)|one of|both|all of|either|neither|(?:another|an) (?:answer"
    r"|example|explanation)|when (?:that|this|it|you|they)\b|that you|(?:part|thing|one|line|bit|example|answer) (?:is|was|of)|myself|already|me|us|where this|being able|having to|(?:a |an |some "
    r"|more )?(?:help|advice|information|details?|examples?|clarification)\b)(?:\b|$)",
    re.IGNORECASE,
)


def _clear(match: re.Match[str]) -> bool:
    what = match["what"].strip()
    return len(what) > 1 and not _VAGUE.match(what)


_ANSWERS = (
    r"(?:answers?|responses?|replies|reply|explanations?|messages|summar(?:y|ies)|code|examples|emojis?|bullet "
    r"points?|bullets|jargon|tables?|paragraphs?|units?|metric|imperial|headings?|markdown|sentences?"
    r"|english|german|french|spanish|russian|python|typescript|celsius|fahrenheit|disclaimers?|apologi[sz]ing"
    r"|apologies|exclamation marks?|filler|acronyms|links|sources|citations|small talk|questions|me|formal|informal"
    r"|tone|times?|dates?|currency|dollars|euros|short|concise|brief|detailed|simple|spoilers|sir|ma'am)"
)
_STANDING = re.compile(
    r"(?:please |pls |kindly |also |and |just |you should |you can |i want you to |i need you to |i'd like you to |i "
    r"would like you to |i'd prefer (?:if )?you |i ask you to |make sure to |make sure you |be sure to |try to )*"
    r"(?P<order>(?:always|never|from now on|going forward|in (?:the )?future|every time|whenever|by default)\b.{4,}"
    r"|(?:don't|do not|dont|stop|avoid|quit) (?:ever )?(?:suggest|suggesting|recommend|recommending|use|using|send|sending|give|giving|add|adding|include"
    r"|including|call|calling|ask|asking|write|writing|explain|explaining|apologi\w+|start|starting|begin|end|repeat"
    r"|repeating|make|making|answer|answering|reply|replying)\b.{2,}"
    rf"|(?:give|send|write|provide|use|keep|make|answer|reply|respond|format|structure|explain|show|speak|talk"
    rf"|address|call|refer|limit|include|stick to|be)\b.{{0,60}}\b{_ANSWERS}\b.{{0,80}}"
    r"|call me .+|no (?:emojis?|jargon|bullet points|small talk|disclaimers|apologies|long (?:answers|paragraphs"
    r"|explanations)|filler)\b.*)$",
    re.IGNORECASE,
)
_LASTING = re.compile(
    r"\b(?:always|never|from now on|going forward|in (?:the )?future|every time|whenever|by default|(?:responses"
    r"|answers|replies|explanations|messages|summaries|emojis|disclaimers)\b(?!.*\b(?:below|above|here)\b)|call(?:ing)? me"
    r"|me in (?:english|german|french|spanish|russian)"
    r"|in (?:english|german|french|spanish|russian|simple terms|celsius|metric|bullet points)$|emojis?|jargon|to me "
    r"(?:formally|informally))",
    re.IGNORECASE,
)
_ONE_OFF = re.compile(
    r"\b(?:this|that|the following|these|it|above|below|here|today|now|again|the (?:text|code|function|email|file"
    r"|list|answer|last|previous)|your (?:last|previous)|for my|my (?:code|essay|email|text|resume|cv|boss|homework)"
    r"|an example|examples of|me (?:a|an|the|some|\d+|three|five|two) )\b",
    re.IGNORECASE,
)
_THIS_TALK = re.compile(
    r"\bthis (?:task|chat|conversation|question|time|one|project|exercise|answer|file|code|script|document|text|email|letter|essay)\b",
    re.IGNORECASE,
)
_NEVER_ONE_OFF = re.compile(
    r"\b(?:always|never|from now on|going forward|in (?:the )?future|every time|whenever|by default)\b", re.I
)
_EMPTY_ORDER = re.compile(
    r"(?:never mind|never (?!need|feed)\w+ed\b|never ever mind|always (?:happy|glad|a pleasure|been|was|is|the same|wanted|loved|thought)|never "
    r"(?:heard|seen|been|tried|knew|thought|again|said|had|happened|works?|worked|mind|gonna|say never)|don't "
    r"(?:worry|bother|know)|call me (?:maybe|back|later|when|if|tomorrow|crazy|old|at|on)|be (?:right|back|able))\b",
    re.I,
)


def _instruction(clause: Clause, scene: Scene) -> Draft | None:
    """`Please always give me concise responses`: how the assistant shall behave from now on."""
    match = _STANDING.match(clause.text)
    if match is None or _EMPTY_ORDER.match(match["order"]):
        return None
    order = match["order"].strip()
    if _THIS_TALK.search(order) or not _LASTING.search(order):
        return None
    if _ONE_OFF.search(order) and not _NEVER_ONE_OFF.search(order):
        return None
    order = re.sub(
        r"\b(give|send|show|tell|call|answer|write|provide|address|explain to|to|for|ask|remind) me\b",
        _keep_me,
        order,
        flags=re.I,
    )
    return Draft("preferences", capitalised(inner(order)), importance=0.8)


def _keep_me(match: re.Match[str]) -> str:
    return (
        f"{match[1]} them"
        if match[1].lower() in {"call", "address", "tell", "answer", "ask", "remind", "to", "for", "explain to"}
        else match[1]
    )


def _when_i(clause: Clause, scene: Scene) -> Draft | None:
    """`When I ask about code, use Python`: a standing rule, though it has a condition."""
    match = re.match(
        r"(?:when|whenever|if|every time|each time) i(?:'m)? (?:ask|say|request|want|send|mention|type|write|share"
        r"|paste|asking|talking)\b.{3,80}?,? (?:then )?(?:always |never |please |just |you should )*"
        r"(?:use|give|answer|reply|respond|keep|include|don't|do not|avoid|write|show|assume|prefer|skip"
        r"|explain|start|end|call|provide|format)\b.{3,}",
        clause.text,
        re.IGNORECASE,
    )
    return Draft("preferences", capitalised(inner(clause.text)), importance=0.8) if match else None


def _would_rather(clause: Clause, scene: Scene) -> Draft | None:
    match = re.match(
        r"i(?:'d| would) (?:much |always )?(?P<verb>rather|prefer)(?: to| not| that| if| you)* (?P<what>.+)",
        clause.text,
        re.IGNORECASE,
    )
    if (
        match is None
        or not _clear(match)
        or re.search(r"\b(?:die|not say|not answer|talk about|discuss)\b", clause.text, re.I)
    ):
        return None
    return Draft("preferences", third_person(clause.text))


INSTRUCTIONS: tuple[Rule, ...] = (_when_i, _instruction)

RULES: tuple[Rule, ...] = (
    states(
        "preferences",
        r"(?:i|we)(?: only| just|'d| would| always)*(?: want| need| like| expect| appreciate)(?: your)? (?P<what>.{0,50}\b"
        r"(?:answers|responses|replies|explanations|summaries)\b.{0,60})",
        when=_clear,
    ),
    states(
        "preferences",
        rf"(?:i|we){_ADV} (?:prefer|favou?r|like|love|enjoy|adore|hate|dislike|loathe|despise|detest)(?: more| "
        rf"most)? (?P<what>.+)",
        when=_clear,
    ),
    states(
        "preferences",
        rf"(?:i|we){_ADV} (?:can't|cannot|can not|couldn't) (?:stand|bear|tolerate|live without) (?P<what>.+)",
        when=_clear,
    ),
    states(
        "preferences",
        rf"(?:i|we){_ADV} (?:don't|do not|dont|never|didn't) (?:really |much |particularly )?(?:like|love|enjoy|care "
        rf"for|eat|drink|smoke|wear|watch|drive|use) (?P<what>.+)",
        when=_clear,
    ),
    states(
        "preferences",
        r"(?:i|we)(?:'d| would) never (?:eat|drink|wear|buy|watch|smoke) (?P<what>.+)",
        when=_clear,
    ),
    states("preferences", r"(?:i|we) (?:don't|do not|never|dont) (?:smoke|drink|drive|cook|gamble)(?P<what>$|,.*)"),
    states(
        "preferences",
        r"(?:i|we) (?:only|always|mostly|usually) (?:eat|drink|wear|buy|read|watch|listen to|use|fly|travel|book|sit"
        r"|order) (?P<what>.+)",
        when=_clear,
    ),
    _would_rather,
    states(
        "preferences",
        r"(?:i'm|im|i am|we're|we are)(?: (?:really|very|super|also|totally|not|not really|a|an|strictly|mostly|now"
        r"|currently))* (?:into|fond of|keen on|crazy about|passionate about|obsessed with|partial to|addicted to) "
        r"(?P<what>.+)",
        when=_clear,
    ),
    states(
        "preferences",
        r"(?:i'm|im|i am)(?: (?:also|not|not really|really|still))? (?:a|an) (?:(?:big|huge|massive|great|avid|real"
        r"|lifelong|die-hard) )?(?:fan|lover|admirer|enthusiast) of (?P<what>.+)",
        when=_clear,
    ),
    states(
        "preferences",
        r"(?:i'm|im|i am) (?:more of |not |definitely |not really )?(?:a|an) (?P<what>(?:[\w-]+ ){1,2}(?:person|lover"
        r"|enthusiast|buff|nerd|geek|fan|addict|drinker|eater|reader|hater|aficionado|owl))\b",
        when=_clear,
    ),
    states(
        "preferences",
        r"(?:i'm|im|i am|i've been|i have been|we're|we are)(?: (?:a|an|not|no longer|strictly|also|mostly|currently|now|a strict|vegan and))* "
        r"(?:vegetarian|vegan|pescatarian|pescetarian|gluten[- ]free|dairy[- ]free|lactose[- ]intolerant|kosher|halal"
        r"|keto|celiac|coeliac|teetotal|sober|flexitarian|paleo)\b.*",
        importance=0.8,
    ),
    states(
        "preferences",
        r"(?:i|we)(?: also)? (?:follow|keep|eat|stick to|am on|'m on|do) (?:a |an )?(?:strictly |mostly )?(?:[\w-]+ "
        r")?(?:diet|kosher|halal|vegan|vegetarian|keto|gluten[- ]free|low[- ]carb)\b.*",
        importance=0.8,
    ),
    owns(
        "preferences",
        r"my (?:all-time |absolute |number one |current )?(?:favou?rite|preferred|least favou?rite|go-to|pet peeve)(?! (?:part|thing|one|line|bit|answer|example|option)\b)"
        r"(?: [\w'/ -]{1,40}?)?(?:'s| is| are) (?P<what>.+)",
        when=_clear,
    ),
    owns(
        "preferences",
        r"my (?:preference|taste|preferences)(?: [\w'/ -]{1,40}?)? (?:is|are) (?:for |to )?(?P<what>.+)",
        when=_clear,
    ),
)
