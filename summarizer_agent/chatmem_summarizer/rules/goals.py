"""Rules for what somebody means to do that outlives the chat: errands of the moment and tasks for us are not goals."""

import re

from chatmem_summarizer.clauses import Clause
from chatmem_summarizer.restate import capitalised, inner, third_person, without_my
from chatmem_summarizer.rules.rule import Draft, Rule, Scene, dated, first_date

_MEANS = re.compile(
    r"^(?:i|we)(?:'m| am|'re| are|'d| would|'ve| have)?(?: (?:also|really|still|just|definitely|finally|now|currently"
    r"|actually|seriously|eventually|desperately|all|both|only|first|probably|maybe))* ?"
    r"(?P<verb>need to|needs to|have to|has to|got to|gotta|must|want to|wanna|like to|love to|plan to|plan on"
    r"|planning to|planning on|planning|intend to|intending to|hope to|hoping to|aim to|aim for|aiming to|aiming for"
    r"|trying to|try to|going to|gonna|looking to|determined to|supposed to|about to|committed to|working towards?"
    r"|working to|saving(?: up)? (?:for|to)|training (?:for|to)|preparing (?:for|to)|studying for|learning(?: to)?|promised to|agreed to|set out to"
    r"|will|'ll|might|may|thinking about|thinking of|considering|contemplating|toying with the idea of|want"
    r"|need|tempted to|leaning towards)"
    r" (?:also |really |still |just |finally |definitely |eventually |probably |maybe |to )*(?P<what>.+)",
    re.IGNORECASE,
)
_CLEAR_PLAN = re.compile(
    r"plan|intend|hop(?:e|ing)|aim|looking to|determined|committed|working to|saving|training|preparing|studying for"
    r"|learning|considering|thinking|contemplating|toying|might|may|leaning|tempted",
    re.I,
)
_DURABLE = re.compile(
    r"^(?:(?:live|work|live and work) (?:as|at|in|for|near|abroad)\b|(?:be|get|getting) (?:promoted|married|fit|in shape|better at|healthier|certified|a (?:job|dog|cat"
    r"|promotion|degree|house|new (?:job|car|phone|laptop|passport|visa))|my (?:degree|license|licence|certification"
    r"|visa|phd|masters?)|a [\w ]*(?:certificate|certification|licen[cs]e|degree)|out of debt|rid of)"
    r"|become|becoming|be(?:ing)? a\b|be (?:moving|getting|changing|switching|starting|leaving|buying|having|retiring)|learn|learning|launch|launching|finish(?:ing)?|complet|save|saving|lose "
    r"(?:weight|\d)|losing weight|gain|run (?:a|the|my)\b|running (?:a|the)\b|buy(?:ing)? (?:a|an|my|our)\b|mov(?:e"
    r"|ing) (?:to|out|in|back|into|away|house)|relocat|start(?:ing)? (?:a|an|my|our)\b|pass(?:ing)? (?:the|my|an?)\b"
    r"|graduat|read(?:ing)? (?:\d|more|one)|quit(?:ting)? \w+|go (?:vegan|vegetarian|freelance|part-time|remote|keto|plant-based|sober)|stop (?:smoking|drinking|eating|procrastinating|using)|visit|travel"
    r"|publish|improv|master|retir|apply(?:ing)? (?:for|to)|renew|ship|deliver|migrat|hir(?:e|ing)|earn|pay(?:ing)? "
    r"off|train(?:ing)? for|prepar|sell(?:ing)? (?:my|our|the)|open(?:ing)? (?:a|an|my)|register|submit|releas|grow"
    r"|expand|reduc"
    r"|cut (?:down|back|out)|sleep (?:more|better|earlier|\d)|exercis|work out|join(?:ing)? (?:a|the)|adopt"
    r"|found(?:ing)?|climb|hike|swim|cycle|walk \d|drink (?:more|less)|eat (?:more|less|healthier|better)|cook more"
    r"|write (?:a|my|the) (?:book|novel|thesis|dissertation|paper|blog)|writing (?:a|my) (?:book|novel|thesis)"
    r"|build(?:ing)? (?:a|an|my|our)|find(?:ing)? (?:a|an) (?:new )?(?:job|apartment|flat|house|partner|school|doctor"
    r"|nanny|tenant|roommate)"
    r"|switch(?:ing)? (?:to|from|jobs?|careers?)|chang(?:e|ing) (?:careers?|jobs?)|study(?:ing)? (?:for|abroad|\w+ "
    r"at)|organi[sz]|renovat|refinanc|invest|donat|volunteer|meditat|practi[cs]e|achiev|reach|hit \w+ (?:users"
    r"|customers|revenue)|double|triple|deploy|refactor our|present|defend|file (?:my|our|the) tax|schedule (?:a|my)"
    r"|book (?:a|my|our|the)|call (?:my|the)|cancel (?:my|our)|return (?:my|the)|replace (?:my|the|our)|repair|fix "
    r"(?:my|the) (?:car|bike|roof|house|sink|fence|teeth)|upgrade (?:my|our)|raise|plan (?:a|my|our)|attend|compete"
    r"|win|speak (?:fluent|better)|have (?:a baby|kids|children|another)|take (?:a (?:sabbatical|gap year|course"
    r"|trip)|my (?:kids|family|wife|mother|parents)|the \w+ exam))",
    re.IGNORECASE,
)
_MOMENTARY = re.compile(
    r"^(?:know|ask|understand|see\b|say|talk|thank|hear|check|clarify|point|make sure|go\b(?! (?:to (?:university"
    r"|college|school|the gym)|back to school|on a))|leave(?! my job)|run\b(?! (?:a|the|my)\b)|sleep\b(?! (?:more"
    r"|better|earlier|\d))|eat\b(?! (?:more|less|healthier|better))|cry|die|scream|think|test|do (?:that|this|it|so"
    r"|something)|use\b|get (?:back|this|it|that|going|some|to|an? (?:idea|answer|list|error|response)|started|up"
    r"|home|out|off)|let|be (?:honest|clear|sure|able|careful|there|back|quick|late|brief|away|done|fine|more|as)"
    r"|tell|show|share|discuss|mention|add\b|note|begin|figure|fix (?:this|it|that|the bug|the issue|a bug)|take "
    r"(?:a (?:break|look|shower|nap|bath|walk|moment|rest)|care|it)|pee|hop|try (?:this|that|it|out|again)|try$|have "
    r"(?:a look|it|this|lunch|dinner|fun|some)|give|look|come|bring|keep|put|work on (?:this|that|it)|start (?:by"
    r"|with|from|over|a new (?:chat|conversation|topic))|sort\b|filter|parse|print|loop|convert|calculate|extract"
    r"|format|debug|handle|import|install|call (?:this|the (?:function|api|method))|return (?:a|the|an)|compare"
    r"|choose|pick|decide|remember|forget|remind|repeat|move on|continue|stop (?:this|here|now)|watch|listen|wait"
    r"|pay (?:attention|you)|help|believe|admit|confess|apologi|hug|kill|strangle|punch|bet|guess|wish|stay (?:in|up"
    r"|home)|order (?:food|pizza)|grab|shower|nap|rest|relax|vent|rant|chat|play|you\b|your|it\b|this\b|that\b|them"
    r"|him|her\b|one\b|some\b|more\b|help|advice|an? (?:answer|example|idea|list|recommendation|suggestion"
    r"|explanation|hand|favou?r|second|minute|break|drink|coffee|nap|hug|lot|bit|word|quick|few|way)|ideas|nothing"
    r"|something|everything|to\b|all\b|the (?:same|answer|code|output|list|opposite|one)|what|how|why|where|when|who"
    r"|info|not\b|be\b)\b",
    re.IGNORECASE,
)
_POINTS = re.compile(r"\b(?:it|that|this|them|there|here|one|so|something|anything|everything)$", re.IGNORECASE)
_ERRAND = re.compile(
    r"^(?:go to|see (?:the|my|a|dr)|meet|call|bring|take|pick up|pay|order|leave for|watch|fix|return|give (?:a|the|my)|be (?:in|at) )\b",
    re.IGNORECASE,
)
_TASK_NOUN = re.compile(
    r"\b(?:function|script|component|regex|query|class|method|variable|prompt|snippet|loop|array|dataframe|json|csv"
    r"|api call|endpoint|unit tests?|dockerfile|html|css|sql|e-?mail|letter|essay|paragraph|sentence|message|reply"
    r"|tweet|caption|headline|title|list of|table|formula|spreadsheet|bug|error|issue|code|file|folder|string|column"
    r"|row|list|button|page|model that|program that|app that|bot that|image|logo)\b",
    re.IGNORECASE,
)
_GOAL_IS = re.compile(
    r"^(?:my|our|the) (?:[\w'-]+ ){0,3}?(?:goals?|aim|target|plan|plans|dream|resolution|new year's resolution"
    r"|objective|ambition|intention|priority|bucket list|okr|milestone|mission)(?: (?:for|in|at|of|by|this|next)"
    r"[\w' ]{1,30}?)? (?:is|are|includes?|:) ?(?:to |that |for )?(?P<what>.+)",
    re.IGNORECASE,
)
_UNDER_WAY = re.compile(
    r"^(?:i'm|im|i am|we're|we are)(?: (?:also|finally|probably|all|both|just|currently|now))* (?:moving to|moving back|moving in with"
    r"|relocating|changing (?:jobs|careers)|switching (?:jobs|careers|to [A-Z])|quitting (?:my|smoking)|leaving my job|retiring"
    r"|graduating|getting (?:married|divorced|a (?:dog|cat|puppy))|starting (?:a|my) (?:new |own )?(?:job|business|company|degree"
    r"|phd|course|masters?)|renovating|buying (?:a|our) (?:house|flat|apartment|car)|selling (?:my|our)|writing (?:a|my) (?:book"
    r"|novel|thesis|dissertation)|building (?:a|our) (?:house|startup|company)|applying (?:for|to)|planning)\b",
    re.IGNORECASE,
)
_DUE = re.compile(
    r"^(?P<what>(?:my|our|the) (?:[\w'-]+ ){1,5}?)(?:is|are|has to be|have to be|must be|needs? to be|will be) (?:due"
    r"|done|finished|ready|submitted|delivered|completed|sent|paid|filed)\b",
    re.IGNORECASE,
)
_NEED_BY = re.compile(
    r"^(?:i|we) (?:need|want|must have) (?!(?:this|that|it|them|these|to)\b)(?P<what>\w+ .+)$", re.IGNORECASE
)


def _means_to(clause: Clause, scene: Scene) -> Draft | None:
    """`I need to launch the API by Q2 2026`: with a date nearly anything counts, without one only lasting things do."""
    match = _MEANS.match(clause.text)
    if match is None or match["verb"].lower() in {"want", "need"}:
        return None
    when = first_date(clause.text, scene)
    what = match["what"]
    if when is not None and when.last < scene.written.date():
        return None
    if not _lasts(what, match["verb"], dated_by=when is not None and when.last > scene.written.date()):
        return None
    return _goal(third_person(clause.text), clause, scene)


def _lasts(what: str, verb: str, *, dated_by: bool) -> bool:
    if _POINTS.search(what):
        return False
    if dated_by and _ERRAND.match(what):
        return True
    if _MOMENTARY.match(what) and not _DURABLE.match(what):
        return False
    if _TASK_NOUN.search(what) and not dated_by:
        return False
    if re.match(r"(?:try|will|'ll|may|might|supposed)", verb, re.I) and not dated_by:
        return bool(_DURABLE.match(what))
    return dated_by or bool(_DURABLE.match(what)) or _is_plan(what, verb)


def _is_plan(what: str, verb: str) -> bool:
    named = what[:1].isupper() and verb.lower().startswith(("learning", "studying", "considering"))
    return bool(_CLEAR_PLAN.match(verb)) and (named or len(what.split()) >= 2)


def _goal_is(clause: Clause, scene: Scene) -> Draft | None:
    """`my goal is to …`."""
    match = _GOAL_IS.match(clause.text)
    if match is None or re.match(r"(?:not|unclear|simple|working|good|bad|that|this|it|what)\b", match["what"], re.I):
        return None
    return _goal(without_my(clause.text), clause, scene)


def _is_due(clause: Clause, scene: Scene) -> Draft | None:
    """`my thesis is due on May 1`: something to be done by then."""
    match = _DUE.match(clause.text)
    if match is None or first_date(clause.text, scene) is None:
        return None
    return _goal(without_my(clause.text), clause, scene)


def _need_by(clause: Clause, scene: Scene) -> Draft | None:
    """`I need the report by Friday`."""
    match = _NEED_BY.match(clause.text)
    when = first_date(clause.text, scene)
    if match is None or when is None or not re.search(r"\b(?:by|before|until|no later than|due)\b", clause.text, re.I):
        return None
    return _goal(third_person(clause.text), clause, scene)


def _goal(text: str, clause: Clause, scene: Scene) -> Draft:
    when = first_date(clause.text, scene)
    due = when.deadline(scene.zone) if when and when.last >= scene.written.date() else None
    return Draft("goals", capitalised(inner(dated(text, clause.text, scene))), due=due, importance=0.8 if due else 0.7)


def _changing(clause: Clause, scene: Scene) -> Draft | None:
    """`I'm moving to Berlin in September`: a change under way."""
    return _goal(third_person(clause.text), clause, scene) if _UNDER_WAY.match(clause.text) else None


RULES: tuple[Rule, ...] = (_is_due, _goal_is, _means_to, _changing, _need_by)
