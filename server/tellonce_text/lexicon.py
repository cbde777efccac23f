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

# Irregular English forms, each after its base form. `stem` knows only the forms in _STEMMED. The other forms must stay
# unknown to it, because tombstones contain hashes of stems.
_STEMMED: Final = """
be been being; become became; begin began begun; break broke broken; bring brought; build built; buy bought; catch
caught; child children; choose chose chosen; come came; do did done; drink drank drunk; drive drove driven; eat ate
eaten; fall fell fallen; feel felt; find found; fly flew flown; foot feet; forget forgot forgotten; get got gotten;
give gave given; go went gone; grow grew grown; hear heard; hold held; keep kept; know knew known; learn learnt; leave
left; lend lent; lose lost; make made; man men; meet met; mouse mice; pay paid; person people; ride rode ridden; rise
risen; run ran; say said; see saw seen; sell sold; send sent; sing sang sung; sleep slept; speak spoke spoken; spend
spent; steal stole stolen; swim swam swum; take took taken; teach taught; tell told; think thought; throw threw thrown;
tooth teeth; wake woke woken; wear wore worn; wife wives; win won; woman women; write wrote written
"""
_NOT_STEMMED: Final = """
bend bent; bite bitten; bleed bled; blow blew blown; breed bred; burn burnt; creep crept; deal dealt; dig dug; draw
drew drawn; dream dreamt; feed fed; fight fought; flee fled; forbid forbade forbidden; forgive forgave forgiven; freeze
froze frozen; goose geese; hang hung; hide hid hidden; kneel knelt; knife knives; lead led; lean leant; mean meant;
quit quitted; ring rang rung; seek sought; sew sewn; shake shook shaken; shelf shelves; shine shone; shoot shot; shrink
shrank shrunk; sink sank sunk; sit sat; slide slid; smell smelt; spill spilt; spin spun; spoil spoilt; stand stood;
stick stuck; sting stung; strike struck; swear swore sworn; sweep swept; swing swung; tear tore torn; thief thieves;
understand understood; weave wove woven; weep wept; withdraw withdrew withdrawn; wolf wolves
"""


def _base_of(forms: str) -> dict[str, str]:
    return {form: base for entry in forms.split(";") for base, *inflected in [entry.split()] for form in inflected}


STEMMED: Final = _base_of(_STEMMED)
"""For each irregular form that `tellonce_text.stemming` knows, its base form."""
IRREGULAR: Final = STEMMED | _base_of(_NOT_STEMMED)
"""For each irregular form, its base form. The stored search index depends on these forms."""
