"""Closed word classes of English, and a few words of other languages, for analyzing statements. Data only."""

from typing import Final

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
NUMBER_WORDS: Final = {
    word: number
    for number, word in enumerate(
        """
        zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
        eighteen nineteen twenty
        """.split()
    )
} | {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
SCALES: Final = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
AMOUNT_WORDS: Final = {"half": "0.5", "dozen": "12", "couple": "2", "pair": "2", "twice": "2", "thrice": "3", "once": "1",
                       "double": "2", "triple": "3", "twins": "2", "triplets": "3"}  # fmt: skip
ORDINALS: Final = {
    word: str(number)
    for number, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split(), start=1
    )
}
# Before a noun, "one" is a number. After or before these words, "one" is a pronoun: "no one", "the one", "one of".
NOT_COUNTED_BEFORE: Final = frozenset(
    {"no", "any", "some", "every", "this", "that", "the", "which", "each", "another", "only"}
)
NOT_COUNTED_AFTER: Final = frozenset(
    """
    of another day thing who that is was should can more at by on in to
    """.split()
)

# Irregular English forms. No suffix rule handles these forms. Each entry begins with the base form.
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
