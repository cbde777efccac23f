"""Rules for the rest of a life: habits, possessions, skills, milestones; they come last and are the pickiest."""

import re

from chatmem_summarizer.rules.rule import Rule, states

_TOOLS = re.compile(r"\b(?:this|that|it|these|those|them|your|the|a lot|following|above)\b", re.IGNORECASE)
_LEISURE = re.compile(
    r"\b(?:bug|error|issue|problem|question|idea|doubt|feeling|look|point|file|code|script|function|list|test|message"
    r"|lot|chance|time|meeting|call|headache|cold|hangover|clue|string|array|table|column|variable|sense|fun|nothing"
    r"|something|anything)\b",
    re.IGNORECASE,
)


def _named_thing(match: re.Match[str]) -> bool:
    return not _TOOLS.match(match["what"]) and not _LEISURE.search(match["what"][:40])


_ADV = (
    r"(?: (?:also|mostly|mainly|usually|always|often|currently|still|just|really|regularly|normally|typically"
    r"|sometimes|never|now|recently|finally|only|rarely))*"
)

RULES: tuple[Rule, ...] = (
    states("facts", r"i used to (?P<what>\w.{3,})", when=_named_thing),
    states(
        "facts",
        r"(?:i|we) (?:no longer|don't|do not) (?:live|work|own|have|study|play|use|drive)\b (?P<what>.*(?:any ?more"
        r"|any longer).*|(?:in|at|for|as) .+)",
    ),
    states("facts", r"(?:i|we) no longer (?P<what>.{4,})"),
    states(
        "facts",
        r"(?:i|we) (?:don't|dont|do not|never|can't|cant|cannot) take (?P<what>[\w-]+)(?:$|,| (?:because|any ?more|with|for)\b)",
        when=_named_thing,
    ),
    states(
        "facts",
        rf"(?:i|we){_ADV} (?:got|just got|recently got|finally got|have been|was|were|'ve been)(?: (?:just|recently"
        rf"|officially))? (?P<what>(?:married|engaged|divorced|promoted|fired|laid off|hired|diagnosed|accepted"
        rf"|certified|vaccinated|pregnant|tenure|my (?:degree|phd|licen[cs]e|visa|green card|citizenship|masters?"
        rf"|diploma)|a (?:new job|promotion|raise|job offer|job at|scholarship|degree)|the job)\b.*)",
    ),
    states(
        "facts",
        rf"(?:i|we)(?:'ve| have)?{_ADV} (?:joined|founded|co-founded|retired|graduated|adopted|quit smoking|quit "
        rf"drinking|stopped (?:smoking|drinking|eating)|gave up|quit my|left my|lost my job|broke my|sold my|bought "
        rf"(?:a|an|my|our)|passed my|finished my|completed my|ran (?:a|my|the)|won (?:a|the)|published|climbed|moved "
        rf"(?:in|out)|switched (?:to|from|jobs)|started (?:working|my|as|at|learning|studying|therapy|a new|a job|a "
        rf"company|a business))\b ?(?P<what>.*)",
        when=lambda m: (
            not re.search(
                r"\b(?:script|function|chat|call|conversation|server|docker|this|query|process|debugging|the app|the "
                r"project)\b",
                m.string,
                re.I,
            )
        ),
    ),
    states("facts", rf"(?:i|we){_ADV} (?:drive|ride|own) (?:a|an|my|two|three) (?P<what>\w.*)"),
    states(
        "facts",
        rf"(?:i|we){_ADV} play (?:the )?(?P<what>(?!around|with|along|it|one|this|that|dumb|devil|nice|a role|some music)"
        rf"\w+.*)",
    ),
    states("facts", rf"(?:i|we){_ADV} collect (?P<what>\w+.*)", when=_named_thing),
    states(
        "facts",
        rf"(?:i|we){_ADV} (?:code|program|write|develop|build) (?:mostly |mainly |primarily |everything |all my code "
        rf")?in (?P<what>[A-Z]\w*.*)",
    ),
    states("facts", rf"(?:i|we){_ADV} use (?P<what>(?:an? |my )?[A-Z0-9]\w*(?:[ /.+-].*)?$)", when=_named_thing),
    states(
        "facts",
        r"(?:i|we) (?:always|usually|normally|typically|often|regularly|never|rarely|generally) (?:wake up|get up"
        r"|go to (?:bed|sleep|the gym|church|work)|work out|exercise|run|jog|swim|meditate|skip|have (?:breakfast"
        r"|lunch|dinner|coffee|tea)|take (?:the|my)|walk|cycle|commute|fast|pray|cook|eat|drink|read|start work"
        r"|finish work|travel|fly)\b(?P<what>.*)",
    ),
    states(
        "facts",
        rf"(?:i|we){_ADV} (?:wake up|get up|go to bed|go to the gym|start work|finish work|go \w+ing|work out|exercise|run|jog|swim|meditate|cycle"
        rf"|drink|eat|read|watch|write|practi[cs]e|train|study|call my|visit|cook|bake|travel|meet|skip|do|teach|sing|dance"
        rf"|commute|take (?:the|my|yoga|piano|guitar|dance|swimming)|fast|pray|attend|do yoga|volunteer|walk my|walk "
        rf"the)\b(?! (?:one|it|them|this|that)\b)(?P<what>.*(?:\bevery (?!time\b|one\b)|each (?:day|week|month|morning)|daily|weekly|once a|twice a|times a|mornings?|evenings?|nights?|\bon (?:mon|tues"
        rf"|wednes|thurs|fri|satur|sun)days?|weekends?|at \d).*)",
    ),
    states(
        "facts",
        r"(?:i|we) (?:usually |always )?wear (?:size|glasses|contacts|contact lenses|a hearing aid|hearing aids)\b.*",
    ),
    states(
        "facts",
        r"(?:i'm|im|i am) (?:currently )?on (?:a|an|the) (?:[\w-]+ ){0,3}(?:diet|waiting list|sabbatical|visa)\b.*",
    ),
    states(
        "facts",
        r"(?:i|we)(?: also| currently| already| don't| dont| do not)? have (?P<what>(?:(?:a|an|any|two|three|four|five|six|several|my|some"
        r"|over|about|almost|more than|\d+\+?) )?(?:[\w'-]+ ){0,3}?(?:phd|degree|master'?s?|bachelor'?s?|mba|diploma"
        r"|certificat\w+|licen[cs]e|visa|green card|citizenship|passport|house|apartment|flat|condo|cars?|bikes?"
        r"|motorcycle|boat|tesla|bmw|toyota|garden|piano|guitar|tattoos?|piercings?|blog|podcast|channel|website"
        r"|startup|company|business|side project|subscription|membership|mortgage|loan|experience|years of \w+"
        r"|employees|reports|direct reports|team of \d+|macbook|iphone|android|laptop|ps5|nas|homelab|raspberry pi"
        r"|kindle)\b.*)",
        when=lambda m: not re.search(r"\b(?:question|problem|issue|idea|error|bug|example)\b", m.string, re.I),
    ),
    states(
        "facts",
        r"i(?:'ve| have) been (?P<what>(?:working|living|studying|learning|playing|teaching|married|vegan|vegetarian"
        r"|sober|dating|running|practi[cs]ing|coding|programming|doing yoga)\b.*(?:for|since|at|as|in)\b.*)",
    ),
    states(
        "facts",
        r"(?:i'm|im|i am)(?: (?:really|very|also|quite|pretty|not very|terribly|deathly|a bit))* (?:afraid of|scared "
        r"of|terrified of|good at|bad at|terrible at|great at|experienced (?:in|with)|new to|responsible for|in "
        r"charge of|enrolled (?:in|at)|certified in|trained (?:in|as)|qualified as|a member of|part of (?:the|a)) "
        r"(?P<what>\w.*)",
        when=lambda m: (
            not re.match(
                r"(?:this|that|it|you|the (?:future|code|answer|result)|losing|making|being|asking|saying)\b",
                m["what"],
                re.I,
            )
        ),
    ),
    states(
        "facts",
        r"i(?: also)? (?:prefer to be called|identify as|go by|support|root for|follow) (?P<what>(?:[A-Z]|he|she|they"
        r"|non).*)",
    ),
    states("facts", r"i(?: also)? (?:believe in|practi[cs]e|observe|converted to) (?P<what>[A-Z]\w+.*)"),
    states(
        "facts",
        r"(?:i'm|im|i am|we're) (?:in|on) (?:the )?(?P<what>(?:[A-Z]{2,5}|Pacific|Eastern|Central|Mountain|Singapore"
        r"|Berlin|London|UTC|GMT)[\w+:-]*(?: (?:time|timezone|standard time|time zone))\b.*)",
    ),
)
