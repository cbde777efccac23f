"""Closed word classes of English, and a few words of other languages, for analyzing statements. Data only."""

import re
from typing import Final

from tellonce_text.dates.date_mentions import NUMBER_WORD

STOP_WORDS: Final = frozenset(
    """
    a an the this that these those there here it its it's itself i me my mine myself i'm i've i'd i'll we us our
    ours ourselves we're we've you your yours yourself user user's users s is am are was were be been being 's 're
    'm 've do does did done doing don't doesn't didn't isn't aren't wasn't weren't has have had having hasn't
    haven't hadn't will would shall should can could may might must won't wouldn't can't cannot couldn't shouldn't
    and or but so if then than as of at by for from in into on onto to with about over under up down out off per via
    not no nor never none nothing neither without please just also too very really quite rather pretty currently
    presently now still actually basically simply usually generally mostly always often sometimes ever already yet
    again what which who whom whose when where why how some any each every all both such own same other another much
    many more most few little lot lots bit well ok okay yes yeah hey hi hello oh um uh one's let let's get gets got
    getting going go goes he she they him her them his hers their theirs he's she's they're called named known
    name's
    """.split()
)
NUMBER_WORDS: Final = NUMBER_WORD
SCALES: Final = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
AMOUNT_WORDS: Final = {"half": "0.5", "dozen": "12", "couple": "2", "pair": "2", "twice": "2", "thrice": "3", "once": "1",
                       "double": "2", "triple": "3", "twins": "2", "triplets": "3"}  # fmt: skip
ORDINALS: Final = {
    word: str(number)
    for number, word in enumerate(
        [
            "first",
            "second",
            "third",
            "fourth",
            "fifth",
            "sixth",
            "seventh",
            "eighth",
            "ninth",
            "tenth",
            "eleventh",
            "twelfth",
        ],
        start=1,
    )
}
# "one" is a count before a noun and a pronoun elsewhere: "no one", "the one", "one of".
NOT_COUNTED_BEFORE: Final = frozenset(
    {"no", "any", "some", "every", "this", "that", "the", "which", "each", "another", "only"}
)
NOT_COUNTED_AFTER: Final = frozenset(
    """
    of another day thing who that is was should can more at by on in to
    """.split()
)

UNITS: Final = {
    alias: unit
    for unit, aliases in {
        "mg": "mg milligram milligrams", "g": "g gram grams", "kg": "kg kilo kilos kilogram kilograms kgs",
        "mcg": "mcg µg microgram micrograms", "lb": "lb lbs pound pounds", "oz": "oz ounce ounces", "t": "ton tons tonne tonnes",
        "ml": "ml millilitre millilitres milliliter milliliters", "l": "l litre litres liter liters", "cup": "cup cups",
        "mm": "mm", "cm": "cm centimetre centimetres centimeter centimeters", "m": "m metre metres meter meters",
        "km": "km kms kilometre kilometres kilometer kilometers", "mi": "mi mile miles", "ft": "ft foot feet", "in": "inch inches",
        "s": "second seconds sec secs", "min": "min mins minute minutes", "h": "h hr hrs hour hours", "day": "day days",
        "wk": "week weeks", "mo": "month months", "yr": "year years yrs yo", "%": "% percent",
        "usd": "$ usd dollar dollars bucks", "eur": "€ eur euro euros", "gbp": "£ gbp quid", "sgd": "sgd s$", "inr": "₹ inr rupees",
        "jpy": "¥ jpy yen", "chf": "chf francs", "kb": "kb", "mb": "mb", "gb": "gb gigabytes", "tb": "tb", "hz": "hz", "kw": "kw",
        "c": "°c celsius", "f": "°f fahrenheit", "cal": "kcal calories", "times": "times", "th": "st nd rd th", "bpm": "bpm",
    }.items()
    for alias in aliases.split()
}  # fmt: skip

# These words deny, end or refuse. They are counted, so that "hates X" and "does not like X" are equal.
NEGATORS: Final = re.compile(
    r"(?:\b(?:not|never|no|none|nobody|nothing|neither|nor|without|cannot"
    r"|(?:do|does|did|is|are|was|were|ca|could|wo|would|should|has|have|had|ai)nt)"
    r"|n['’]t)\b"
    r"|\b(?:stop(?:s|ped|ping)?|quit(?:s|ting)?|g[ia]ve(?:s|n)? up|cease[sd]?|used to(?= \w)|former(?:ly)?|ex(?=-\w)|non(?=-\w)|previously"
    r"|avoid(?:s|ed|ing)?|refuse[sd]?|dislik(?:es?|ed|ing)|hat(?:es?|ed|ing)|detest(?:s|ed)?|loathe[sd]?|despise[sd]?"
    r"|unable|fail(?:s|ed|ing)?|lack(?:s|ed)?|cancel(?:l?ed|s)?|called off|decided against|(?<=have )yet to|(?<=has )yet to|(?<=am )yet to|rarely|seldom|hardly|barely|unlike(?:ly)?|un(?:married|employed)"
    r"|reject(?:s|ed)?|declin(?:es?|ed)|den(?:y|ies|ied))\b|-free\b"
    r"|\b(?:nicht|kein\w{0,2}|nie|niemals|ohne|pas|jamais|sans|nunca|sin|não|nem|sem|не|нет|никогда|без)\b"
    r"|[不没沒別别]|ない|ません|なかった",
    re.IGNORECASE,
)

# Negative words that deny nothing.
IDIOMS: Final = re.compile(
    r"\b(?:can(?:no|')t (?:wait|help)|not only|not to mention|no doubt|no problem|no worries|no wonder|nothing but|never mind"
    r"|do(?:n't| not) (?:forget|worry|hesitate)|(?:don't|dont|do not|didn't|did not) not|no later than|at all|isn't it|aren't they|don't i|why not)\b"
    r"|(?:^|(?<=[.!?]\s))no,",
    re.IGNORECASE,
)

# Words that are capitalized at the start of a sentence without being names.
OPENERS: Final = frozenset(
    """
    user assistant person people someone everyone everything something anyone nobody prefers prefer likes like loves
    love enjoys enjoy hates hate dislikes wants want needs need works work working lives live living has have having
    had is was are were will would can could should must may might does did do plans plan planning planned goes
    going moved moving moves started starts start stopped stops quit uses use using owns own plays play playing
    speaks speak studies study studying studied learns learning takes take taking took eats eat drinks drink drives
    drive runs run running owes born married single divorced engaged vegetarian vegan allergic currently recently
    previously formerly originally today yesterday tomorrow tonight now then also always never sometimes usually
    often remember remind note please thanks thank sorry hello hi hey yes no ok okay sure well so but and or because
    since after before when while if although though however maybe perhaps actually basically honestly anyway btw
    fyi by in on at for from with without about during until to of as there here this that these those the a an my
    our your his her their its he she it we they you what which who where why how all both each every some any many
    most much more less few other another one two three four five six seven eight nine ten first second third next
    last new old good great best only just team meeting project company office work home family wife husband son
    daughter mother father mom mum dad brother sister dog cat pet car house flat apartment birthday anniversary
    appointment flight trip doctor dentist account password phone email address number name favourite favorite
    deadline launch goal goals date dates offsite lunch dinner breakfast coffee tea decided decision bought buy sold
    sell got get gave give made make met meet saw see went visited visit called call wrote write read finished
    finish completed complete launched joined join left leave became become turned turn grew grow spent spend told
    tell said say asked ask thinks think believes believe knows know hopes hope feels feel keeps keep follows follow
    avoids avoid considers consider considering interested looking trying tries try responsible located based
    employed let lets don't doesn't didn't can't won't isn't i'm i've i'd i'll it's that's there's he's she's we're
    they're let's what's here's who's how's where's
    """.split()
)
# A capitalised first word followed by one of these is taken for a name: "Emma lives …", "Luna and …".
NAME_FOLLOWERS: Final = frozenset(
    """
    is was has had and lives lived works worked likes loves hates said told will can's from
    """.split()
)
NOT_NAMES: Final = frozenset(
    """
    i i'm i've i'd i'll ok am pm a.m p.m user user's users assistant tv id faq etc vs
    """.split()
)

# English word forms that no suffix rule covers. Each entry begins with the base form.
_FORMS: Final = """
be been being; become became; begin began begun; bend bent; bite bitten; bleed bled; blow blew blown; break broke broken;
breed bred; bring brought; build built; burn burnt; buy bought; catch caught; child children; choose chose chosen; come came;
creep crept; deal dealt; dig dug; do did done; draw drew drawn; dream dreamt; drink drank drunk; drive drove driven;
eat ate eaten; fall fell fallen; feed fed; feel felt; fight fought; find found; flee fled; fly flew flown;
foot feet; forbid forbade forbidden; forget forgot forgotten; forgive forgave forgiven; freeze froze frozen; get got gotten;
give gave given; go went gone; goose geese; grow grew grown; hang hung; hear heard; hide hid hidden; hold held; keep kept;
kneel knelt; knife knives; know knew known; lead led; lean leant; learn learnt; leave left; lend lent;
lose lost; make made; man men; mean meant; meet met; mouse mice; pay paid; person people;
quit quitted; ride rode ridden; ring rang rung; rise risen; run ran; say said; see saw seen; seek sought; sell sold;
send sent; sew sewn; shake shook shaken; shelf shelves; shine shone; shoot shot; shrink shrank shrunk; sing sang sung;
sink sank sunk; sit sat; sleep slept; slide slid; smell smelt; speak spoke spoken; spend spent; spill spilt; spin spun;
spoil spoilt; stand stood; steal stole stolen; stick stuck; sting stung; strike struck; swear swore sworn; sweep swept;
swim swam swum; swing swung; take took taken; teach taught; tear tore torn; tell told; think thought; thief thieves;
throw threw thrown; tooth teeth; understand understood; wake woke woken; wear wore worn; weave wove woven; weep wept;
wife wives; win won; withdraw withdrew withdrawn; wolf wolves; woman women; write wrote written
"""
IRREGULAR: Final = {form: base for entry in _FORMS.split(";") for base, *forms in [entry.split()] for form in forms}
