"""Words that say the same, and words that must not be taken for one another, for comparing statements; data, no rules."""

import re
from typing import Final

from chatmem_server.text.stemming import stem
from chatmem_server.text.word_lists import words_of

_SAME: Final = """
like love enjoy adore fond fan favour appreciate prefer preference
live reside residence based residing located
work employ employed employer job occupation profession
start begin commence
buy purchase
big large huge
small little tiny
fast quick quickly
quickly rapidly
happy glad
wake awake
learn study
movie film
flat apartment
car automobile vehicle
physician doctor gp
bike bicycle cycle cycling
child kid
phone telephone mobile cell cellphone
mail email e-mail
holiday vacation
afraid scared terrified fear frightened phobia
reply answer respond response
short concise brief succinct
detailed thorough in-depth
photo picture image
allergy allergic
meeting meet
weekend weekends
daily everyday
finish complete
fix repair
choose pick select
kitty cat
puppy dog
speak talk
programmer developer coder
dev development developing
prod production
repo repository
db database
docs documentation
spouse partner
husband hubby
girlfriend gf
boyfriend bf
mother mom mum mama mommy
father dad papa daddy
grandmother grandma granny
grandfather grandpa
sibling siblings
boss manager supervisor
colleague coworker co-worker teammate
neighbour neighbor
colour color
favourite favorite
organise organize
travel trip journey
jog jogging run
gym workout
exercise train training
city town
company firm
shop store
cook cooking
buddy friend
wedding marriage
degree diploma
university college uni
football soccer
autumn fall
postcode zipcode zip
soda pop
garden yard
subway metro underground
rent rental
salary wage income earn
deadline due
launch release ship
appointment booking
timezone tz
birthday bday born birthdate birth birthplace
"""
# Any two words of one line name different things: swapping one for the other changes what is said.
_DIFFERENT: Final = """
before after during
morning afternoon evening night noon midnight
more less fewer
left right
hot cold warm cool
early late
first last
up down
increase decrease
rise fall
above below opposite behind beside
inside outside
open closed
on off
yes no
win lose
buy sell rent lend borrow
arrive leave
live leave
start end finish stop
summer winter spring autumn
north south east west
black white red blue green yellow purple orange pink brown grey gray teal turquoise beige navy violet gold silver
dog cat rat bird fish hamster rabbit horse parrot snake turtle lizard ferret cow pig chicken
tea coffee water juice beer wine milk cola lemonade whisky vodka gin rum cider
peanut almond walnut cashew hazelnut shellfish gluten dairy lactose egg soy sesame penicillin pollen dust latex ibuprofen aspirin
beef pork lamb chicken fish tofu meat seafood
apple banana mango grape strawberry pear peach cherry melon kiwi
pizza pasta sushi burger curry ramen taco salad soup steak
guitar piano violin drum drums flute cello saxophone trumpet bass ukulele
football basketball tennis golf cricket rugby hockey baseball volleyball badminton squash
hike swim run cycle ski surf climb dance yoga box row sail
arm leg hand foot knee elbow shoulder ankle wrist hip neck finger toe ear eye
older younger
oldest youngest
eldest youngest
son daughter
brother sister
mother father
wife husband
aunt uncle
niece nephew
grandmother grandfather
girlfriend boyfriend
boy girl
man woman
vegan vegetarian pescatarian omnivore carnivore keto paleo
married single divorced engaged widowed separated
dark light
short long
concise detailed
formal informal casual
metric imperial
public private
ios android windows macos linux
vim emacs vscode
python java javascript typescript rust go ruby php kotlin swift scala perl c c++ c#
postgresql mysql sqlite mongodb redis oracle
aws azure gcp
react vue angular svelte
tab space
train bus plane car bike tram ferry taxi
kitchen bathroom bedroom balcony
breakfast lunch dinner
weekly monthly daily yearly hourly fortnightly
weekday weekend
mild moderate severe
teacher nurse doctor lawyer engineer designer developer architect manager analyst accountant chef pilot dentist
physics chemistry biology mathematics history geography economics philosophy psychology law medicine
english french german spanish italian portuguese chinese mandarin japanese korean russian arabic hindi dutch polish turkish
novel poem poetry biography
rock jazz pop classical metal hip-hop techno blues country folk
sugar salt pepper honey
window aisle
upper lower
major minor
maximum minimum max min
true false
accept reject decline deny
fluent basic beginner advanced
allow forbid ban
love hate
positive negative
steal find lose
remember forget
healthy sick ill
full empty
rich poor
strong weak
safe dangerous
easy hard difficult
cheap expensive
loud quiet
young old
tall short
good bad
better worse
best worst
present absent
give receive
include exclude
rise fall
raise lower
push pull
male female
enter exit
success failure
gain lose
dry wet
clean dirty
alive dead
odd even
same different
internal external
local remote
online offline
manual automatic
senior junior
near far
thick thin
heavy light
introvert extrovert
borrow lend
approve deny
agree oppose
support oppose
begin end
create delete
add remove
install uninstall
upgrade downgrade
arrival departure
buyer seller
employee employer
student professor
guest host
tenant landlord
lunch brunch
sofa bed chair table desk
shirt trousers shoes jacket coat dress hat
house apartment
village city
beach mountain mountains lake
remember forget
hire fire
import export
client server
mortgage rent
parent child
knee shoulder back ankle wrist hip elbow neck
insulin metformin lisinopril atorvastatin levothyroxine amlodipine omeprazole
"""
_PERSONS: Final = """
mother father wife husband spouse girlfriend boyfriend fiance fiancee fiancé fiancée son daughter child brother sister sibling
parent grandmother grandfather grandparent aunt uncle cousin niece nephew friend boss colleague neighbour roommate flatmate
landlord tenant teacher tutor doctor dentist therapist lawyer accountant vet nurse coach he she ex
mother-in-law father-in-law brother-in-law sister-in-law son-in-law daughter-in-law stepmother stepfather stepson stepdaughter
godmother godfather grandson granddaughter grandchild
"""
# Words without content of their own in a statement about someone.
_FILLER: Final = """
use make take thing way time name call know tell remember note important currently recently originally personally regularly
absolutely truly definitely certainly lately nowadays moment right long especially particularly kind sort type such several
plenty number amount able happen place hold held own new old also ask think feel say day around there towards within amongst
favour fact actual main mainly primary really typical generally normally frequent lot person people someone current present role
position title status state be have do it both
"""

# Phrases replaced before a statement is read.
_SAME_PHRASES: Final = tuple(
    (re.compile(rf"\b{phrase}\b", re.IGNORECASE), plainer)
    for phrase, plainer in (
        (r"mother tongue", "native language"),
        (r"(?:every|each) day", "daily"),
        (r"(?:every|each) week", "weekly"),
        (r"(?:every|each) month", "monthly"),
        (r"works?(?:ing)? as", "is"),
        (r"(?:have|has|had|'ve) (?:got )?to", "need to"),
        (r"(?:i|they)(?:'d| would) rather(?: get| have)?", "I prefer"),
        (r"years? old", "years"),
        (r"(?:year|date|day) of birth", "birth"),
        (r"at all", ""),
        (r"in (?:my|his|her|their) (?:free|spare) time", "as a hobby"),
    )
)

# Verbs that say little beside their object: eat lunch, ride a bike, a team that consists of five.
LIGHT: Final = frozenset(
    stem(word)
    for word in words_of("eat ride drive commute consist expect hold keep grow attend own buy spend suffer receive")
)
# Verbs that deny; `claims` counts them as negations, so they are no content besides.
DENYING: Final = frozenset(
    stem(word)
    for word in words_of(
        "hate dislike detest loathe despise quit stop avoid refuse cease cancel reject decline deny fail lack unable rarely seldom"
    )
)

CANONICAL: Final[dict[str, str]] = {
    stem(word): stem(line.split()[0]) for line in _SAME.strip().splitlines() for word in line.split()
}


def same_phrases(text: str) -> str:
    """The text with some phrases put into the plainer words that mean the same."""
    for phrase, plainer in _SAME_PHRASES:
        text = phrase.sub(plainer, text)
    return text


def canonical(stemmed: str) -> str:
    """The stem that stands for all words saying the same."""
    return CANONICAL.get(stemmed, stemmed)


def _classes() -> dict[str, frozenset[int]]:
    found: dict[str, set[int]] = {}
    for number, line in enumerate(_DIFFERENT.strip().splitlines()):
        for word in line.split():
            found.setdefault(canonical(stem(word)), set()).add(number)
    return {word: frozenset(numbers) for word, numbers in found.items()}


CONTRAST: Final = _classes()
# A word that can be exchanged for its opposite carries content after all: old, long, right.
FILLER: Final = frozenset(stem(word) for word in _FILLER.split()) - frozenset(CONTRAST)
PERSONS: Final = {canonical(stem(word)): word for word in _PERSONS.split()}
PRONOUNS: Final = {"he": "he", "him": "he", "his": "he", "she": "she", "her": "she", "hers": "she"}
# Words that the content stems leave out but that change what is said: both statements have them, or none.
WEIGHTY: Final = {
    "before": "before", "after": "after", "more": "more", "less": "less", "fewer": "less", "least": "less", "only": "only",
    "almost": "almost", "nearly": "almost", "except": "except", "instead": "instead", "off": "off", "against": "against", "little": "little", "badly": "badly", "poorly": "badly",
}  # fmt: skip
# Words of one line exclude each other, yet a statement may do without any of them.
RIVALS: Final = tuple(
    frozenset(line.split())
    for line in (
        "always sometimes occasionally",
        "often sometimes occasionally",
        "hourly daily weekly fortnightly monthly quarterly yearly annually",
        "up down",
        "over under",
        "above below",
        "since until",
        "first last",
        "all some",
        "on off",
    )
)
UNSURE: Final = words_of(
    """
    might may maybe perhaps possibly probably consider considering thinking want wants wanted hope hopes plan plans
    planning planned would could should wish wishes intend intends need needs aim aims dream dreams if must i'd goal goals intention require requires
    """
)
DIRECTED: Final = frozenset({"from", "to", "before", "after", "than", "over", "against", "by", "instead"})
