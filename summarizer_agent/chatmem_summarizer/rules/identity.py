"""Rules for who somebody is: name, age, origin, home, work, nationality, health, languages."""

import re

from chatmem_summarizer.clauses import Clause
from chatmem_summarizer.restate import inner, third_person
from chatmem_summarizer.rules.rule import Draft, Rule, Scene, dated, first_date, owns, states

_ADV = r"(?: (?:really|actually|currently|now|still|also|just|originally|mostly|mainly|recently|officially|already))*"
_STATE = re.compile(
    r"(?:a |an )?(?:bit|little|lot|few|mess|fool|idiot|wreck|fan|big|huge|bad|good|great|person who|morning|night"
    r"|people|couple|loss|fraud|genius"
    r"|moron|failure|hurry|rush|dream|while|moment|minute|second|step|hand|terrible|horrible|sucker|bot|robot|joke"
    r"|burden|better|firm"
    r"|believer|ghost|zombie|noob|newbie here)\b",
    re.IGNORECASE,
)
_ROLE_END = re.compile(
    r"(?:er|or|ist|ian|ant|ent|eer|ess|man|woman|person|mom|mum|dad|mother|father|parent|nurse|chef|cook|pilot|clerk"
    r"|guard"
    r"|soldier|judge|coach|model|nanny|monk|rabbi|priest|intern|freelance|founder|ceo|cto|cfo|coo|vp|pm|sre|dba|gp|md"
    r"|phd|postdoc"
    r"|lead|head|owner|candidate|graduate|undergrad|undergraduate|major|veteran|vet|expat|native|citizen|resident"
    r"|refugee|twin"
    r"|orphan|widow|widower|bachelor|introvert|extrovert|beginner|novice|amateur|pro|professional|athlete|nomad"
    r"|catholic|muslim"
    r"|jew|hindu|buddhist|christian|atheist|agnostic|vegan|smoker|survivor|diabetic|asthmatic|insomniac|celiac"
    r"|coeliac|sophomore"
    r"|freshman|senior|junior|gamer|mechanic|paramedic|medic|critic|plumber|electrician|architect|analyst|advocate"
    r"|dev|associate"
    r"|executive|representative|rep|specialist|technician|partner|staff|employee|librarian|musician|surgeon|dj|guide"
    r"|host|bride|groom|homebody)$",
    re.IGNORECASE,
)
_DIET = re.compile(r"\b(?:vegan|vegetarian|pescatarian|flexitarian)\b", re.IGNORECASE)
_NATION = re.compile(r"[A-Z]\w+(?:an|ese|ish|ian|i|ench|utch|eek|iss|hai|elsh|ech|rab|urk|ole|wede|ane|orean)$")
_NOT_NAMES = re.compile(
    r"(?:sorry|fine|ok|okay|sure|happy|sad|ready|back|here|done|glad|good|great|tired|bored|busy|home|late|sick|ill"
    r"|confused|curious|afraid|excited"
    r"|lost|stuck|worried|hungry|awake|alive|well|better|new|all|just|not|so|very|going|still|also|in|on|at|the|a|an"
    r"|monday|today|off|out|up|bad"
    r"|aware|interested|looking|trying|using|working|getting|having|doing|asking|thinking|kidding|joking|serious"
    r"|nervous|stressed|angry"
    r"|grateful|thankful|proud|ai|bot|batman|groot|legend|inevitable)\b",
    re.IGNORECASE,
)
_NAME = r"[A-Z][\w'’-]+(?: (?:van|von|de|del|der|den|di|bin|al|la|le|el|da|dos)\b)*(?: [A-Z][\w'’.-]+){0,3}"


def _is_role(match: re.Match[str]) -> bool:
    """`a software engineer at Google`: the noun before any preposition names what somebody is."""
    phrase = re.split(
        r" (?:at|in|for|with|from|of|on|who|that|working|based|and|by|to|specializ\w+|specialis\w+)\b|,", match["role"]
    )[0]
    phrase = re.sub(r" (?:now|currently|again|too|these days)$", "", phrase)
    return not _STATE.match(phrase) and not _DIET.search(phrase) and bool(_ROLE_END.search(phrase.strip(" .!")))


def _named(match: re.Match[str]) -> bool:
    name = match["name"]
    return name[:1].isupper() and not _NOT_NAMES.match(name)


def _nation(match: re.Match[str]) -> bool:
    return bool(_NATION.match(match["nation"])) and not _NOT_NAMES.match(match["nation"])


def _name_rule(clause: Clause, scene: Scene) -> Draft | None:
    """`I'm Priya`, `This is Priya Sharma`: only a capitalised name that ends its clause."""
    match = re.match(
        rf"(?:[Ii]'m|[Ii] am|[Tt]his is|[Ii]t's|[Ii]m) (?P<name>{_NAME})(?=$|,| and | from | here\b)(?P<rest>.*)",
        clause.text,
    )
    if match is None or not _named(match) or (_NATION.match(match["name"]) and " " not in match["name"]):
        return None
    if clause.text.lower().startswith(("this", "it")) and not re.match(r"\s*(?:here|speaking)?$", match["rest"]):
        return None
    rest = re.sub(r"^ here\b|^ speaking\b", "", match["rest"])
    return Draft("facts", inner(f"Name is {match['name']}{rest}"), importance=0.9)


def _called_rule(clause: Clause, scene: Scene) -> Draft | None:
    """`I'm called Sam`, `I go by Sam`, `my friends call me Sam`."""
    match = re.match(
        rf"(?:(?i:i'm|i am) (?i:called|named)|(?i:i go by)|(?i:my friends|everyone|people|they) (?i:calls?|all call) "
        rf"me) (?P<name>{_NAME})$",
        clause.text,
    )
    return Draft("facts", f"Goes by {match['name']}", importance=0.8) if match and _named(match) else None


def _moved_rule(clause: Clause, scene: Scene) -> Draft | None:
    """`I moved to Lisbon last week` says where somebody lives now."""
    match = re.match(
        r"(?:i|we)(?:'ve| have)?(?: (?:just|recently|finally|actually|already|also))* (?:moved|relocated)(?: (?:back"
        r"|over|here|away))?"
        r" (?P<origin>from [\w .'-]+? )?to (?P<rest>.+)",
        clause.text,
        re.IGNORECASE,
    )
    if match is None:
        return None
    place = _PLACE_ENDS.split(match["rest"])[0]
    if not re.match(r"(?:the )?[A-Z]", place) or _NO_HOME.match(place):
        # `porto last month` may be a town and may not, so it is left in the user's words
        told = re.match(r"(?:the )?[A-Z]|a |[^\W\d]+$", place) and (
            place[0].isupper() or first_date(match["rest"], scene, past=True)
        )
        moved = clause.text.partition(",")[0]
        return Draft("facts", dated(third_person(moved), moved, scene, past=True)) if told else None
    when = match["rest"][len(place) :].strip(" ,")
    moved = " ".join(f"moved there {match['origin'] or ''}{when}".split())
    return Draft("facts", dated(inner(f"Lives in {place}; {moved}"), clause.text, scene, past=True), importance=0.8)


_NO_HOME = re.compile(
    r"(?:the )?(?:\w+ team|linux|windows|mac(?:os)?|ios|android|iphone|slack|notion|teams|github|gitlab|postgres\w*|vim|neovim|emacs"
    r"|vs ?code|marketing|sales|engineering|product|finance|management)\b",
    re.IGNORECASE,
)
_PLACE_ENDS = re.compile(
    r" (?=(?:last|in \d|in (?:january|february|march|april|may|june|july|august|september|october|november|december)|this|about|around"
    r"|recently|yesterday|on|a |two|three|\d|for|with|because|to|from|after|when|earlier|just|back|at)\b)|,",
    re.IGNORECASE,
)

RULES: tuple[Rule, ...] = (
    owns(
        "facts",
        r"my (?:full |first |last |middle |real |given |family )?(?:name|surname|nickname)(?:'s| is) "
        r"(?!(?:not|in|on|at|the|too|also|important|irrelevant|a|an|what|hard|easy|long|short|spelled|written)\b)(?P<name>\S.*)",
        importance=0.9,
    ),
    _called_rule,
    _moved_rule,
    states(
        "facts",
        r"(?:i'm|i am|im)(?: now| currently| only| almost| about)? (?:1[0-9]|[2-9]\d)(?: years? old| yrs? old| "
        r"yo)?(?:$|,| and )",
    ),
    states(
        "facts",
        r"(?:i|we) (?:turned|turn|just turned|will turn) \d{2}(?=$|,| (?:on|in|this|last|next|years?|and|yesterday|today|tomorrow)\b)",
    ),
    owns("facts", r"my age is \d+"),
    states(
        "facts",
        rf"(?:i|we){_ADV} (?:live|reside)(?:s|d)?{_ADV} (?:in|near|at|with|on|alone|abroad|between|outside|close to"
        rf"|next to|by) ?\S*",
        importance=0.8,
    ),
    states("facts", r"(?:i|we)(?:'ve| have)?(?: always| also| never)? lived (?:in|near|at|with|on) \S+"),
    states(
        "facts",
        rf"(?:i'm|im|i am|we're|we are){_ADV} (?:living|based|located|residing) (?:in|near|out of|at|with) \S+",
        importance=0.8,
    ),
    states("facts", rf"(?:i'm|im|i am|we're|we are){_ADV} from (?!the (?:future|team|past)\b)[A-Z]\w+"),
    states("facts", rf"(?:i|we){_ADV} come from (?:a |the )?[A-Z]?\w+"),
    states("facts", r"i(?: was)? (?:grew up|born and raised|raised) (?:in|on|near|with) \S+"),
    states("facts", r"i was (?:born|raised)\b .+"),
    states("facts", r"i grew up .+"),
    states(
        "facts",
        rf"(?:i|we)(?:'ve| have)?{_ADV} (?:work|worked|freelance|intern|interned|volunteer|volunteered|consult){_ADV} (?:as|at|for"
        rf"|in|with|from|remotely|part[- ]time"
        r"|full[- ]time|night shifts?|nights|weekends|\d+ (?:hours|days)) ?(?!this\b|that\b|it\b|me\b|you\b|them\b"
        r"|progress\b|general\b|theory\b)\S.*",
        importance=0.8,
    ),
    states(
        "facts",
        r"(?:i'm|im|i am|we're|we are)(?: (?:currently|now|still|also))? (?:working|employed|interning|freelancing"
        r"|self-employed|volunteering|studying|majoring)"
        r"(?: (?:remotely|part[- ]time|full[- ]time))? (?:as|at|for|in|with) (?!this|that|it\b|you|a bug)\S.*",
        importance=0.8,
    ),
    states(
        "facts",
        r"(?:i'm|im|i am|we're|we are)(?: (?:currently|now|still|also))? working on (?!this\b|that\b|it\b|the bug|a "
        r"bug|something|stuff|things|your)(?:a |an |the |my |our )?(?:[\w'-]+ ){1,}\w+",
    ),
    states(
        "facts",
        rf"(?:i|we){_ADV} (?:study|studied|major|majored|minored|graduated|dropped out)(?: \w+)* ?(?:at|in|from|with"
        rf"|of)?\b .*\w{{3,}}",
    ),
    states(
        "facts",
        r"(?:i|we) (?:run|own|manage|lead|founded|co-?founded|started|opened|head|coach|teach|taught) (?!this|that"
        r"|it\b|into|out|the (?:script|code|command|test|query)|with\b|to\b|by\b|with|from|a (?:test|script|query"
        r"|command|new (?:chat|project|conversation)))(?:a|an|my|our|the|\d+|two|three|\w+) ?\w.*",
        when=lambda m: (
            not re.search(
                r"\b(?:script|command|query|test|code|program|docker|server|using|pip|npm|it|this|error|issue|problem)"
                r"\b",
                m.string,
                re.I,
            )
        ),
    ),
    states(
        "facts",
        r"(?:i'm|im|i am)(?: (?:a|an))?(?: (?:currently|now|still|also|happily|recently|newly))? (?:married|single"
        r"|divorced|engaged|widowed|separated|retired|unemployed|self-employed"
        r"|pregnant|(?:left|right)[- ]handed|color-?blind|colour-?blind|deaf|blind|diabetic|asthmatic|autistic"
        r"|dyslexic|bilingual|trilingual|non-binary|gay|lesbian|bisexual|trans|queer|transgender)\b"
        r"(?! (?:out|in|by|with (?:this|that|the|my (?:code|task))|to (?:the idea|this|that)|on|about|thread)\b)",
    ),
    states(
        "facts",
        r"(?:i'm|im|i am|we're|we are)(?: not)?(?: (?:severely|very|mildly|also|highly|deathly))? (?:allergic|intolerant) to "
        r"\w+",
        importance=0.8,
    ),
    states(
        "facts",
        r"(?:i|we)(?: also| still)? ?(?:have|suffer from|live with|got diagnosed with"
        r"|(?:was|'ve been|have been|'ve just been)(?: just| recently)? diagnosed with)"
        r"(?: a| an| severe| mild| chronic| some| type [12])* "
        r"(?:[\w-]+ ){0,2}?(?:allergy|allergies|asthma|diabetes|adhd|add|ocd|autism|migraines?|epilepsy|arthritis"
        r"|hypertension|high blood pressure|eczema|celiac(?: disease)?|coeliac(?: disease)?|dyslexia|depression"
        r"|anxiety|insomnia|scoliosis|tinnitus|ibs|endometriosis|cancer|pacemaker|bad knee|bad back)\b",
        importance=0.8,
    ),
    states(
        "facts",
        r"(?:i'm|im|i am|i've been|i have been)(?: (?:currently|now|also|still|actually|originally|just|mainly|basically|both))* (?:a|an"
        r"|the) (?P<role>.+)",
        when=_is_role,
        importance=0.7,
    ),
    states(
        "facts",
        r"(?:i'm|im|i am)(?: (?:half|part|originally|actually|also))* (?P<nation>[A-Za-z]+)(?:$|,| and | but | by )",
        when=_nation,
    ),
    _name_rule,
    states(
        "facts",
        r"(?:i|we)(?: can| also| only| natively| fluently)? speak (?:(?:fluent|native|some|a little|basic|good|broken"
        r"|only) )?[A-Z]\w+",
    ),
    states(
        "facts",
        r"(?:i'm|i am|im) (?:the|an?) (?:oldest|youngest|eldest|middle|only)(?: child| one| kid| son| daughter| sibling)?"
        r"(?: of \w+.*|$)",
    ),
    states(
        "facts",
        r"(?:i|we)(?:'m| am|'re| are) (?:going through|in the middle of) (?:a|an|my|our) (?:divorce|separation|move|breakup|relocation)\b.*",
    ),
    states("facts", r"i weigh \d+.*"),
    states("facts", r"(?:i'm|i am|im) \d[\d'.,\"]* ?(?:cm|m|ft|feet|foot|inches)?\b.{0,12}\btall\b"),
    states("facts", r"(?:i'm|i am) (?:fluent|native|bilingual|conversational) in [A-Z]\w+"),
    owns(
        "facts",
        r"my (?:native |first |mother |home |second |main |preferred |work )(?:language|tongue|laptop|computer|phone"
        r"|editor|os|operating system|bank|browser|shell)(?:'s| is| are) \w+",
    ),
    owns(
        "facts",
        r"my (?:current |new |old |day |main |dream |previous |official |exact |next |first |home )?(?:job|role|title"
        r"|job title|position|profession|occupation|employer|company|team|department|manager|boss|supervisor"
        r"|nationality|hometown|home town"
        r"|home|city|country|time ?zone|blood type|blood group|height|weight|shoe size|size|star sign|zodiac sign"
        r"|religion|salary|rent|budget|mortgage|major|degree|university|school|college|stack|tech stack|hobby"
        r"|hobbies|hobbies include|instrument|car|bike"
        r"|doctor|dentist|gp|therapist|landlord|lawyer|accountant|vet|pronouns|username|handle|github|wifi network"
        r"|gym|commute|schedule|working hours|church|office|desk|clinic|branch|house|apartment|flat|neighbou?r|roommate|flatmate|mentor|business|startup)(?: (?:for|at|on|in|of)(?: [\w'-]+){1,4}?)?(?:'s| is| are|:| has) "
        r"(?!(?:not |so |very |really |too )?(?:good|bad|great|broken|slow|fine|hard|boring|awesome|killing|driving|making"
        r"|annoying|terrible|stressful|crazy|down|acting|busy|tired|mad|angry|asking|wrong|stuck|dead|a mess|the "
        r"(?:best|worst)|important|here|there|to\b|no\b|asked|been|an? (?:question|problem|meeting))\b)\S",
    ),
)
