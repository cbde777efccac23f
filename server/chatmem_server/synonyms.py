"""Words that say the same, and words that must not be taken for one another, for comparing statements; data, no rules."""

from typing import Final

from chatmem_server.stemming import stem

_SAME: Final = """
like love enjoy adore fond fan favour appreciate
prefer preference
live reside residence based residing located home
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
salary pay wage income
deadline due
launch release ship
appointment booking
timezone tz
birthday bday born birthdate
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
above below
inside outside
open closed
on off
yes no
win lose
buy sell rent lend borrow
arrive leave
start end finish stop
summer winter spring autumn
north south east west
black white red blue green yellow purple orange pink brown grey gray teal turquoise beige navy violet gold silver
dog cat bird fish hamster rabbit horse parrot snake turtle lizard ferret cow pig chicken
tea coffee water juice beer wine milk cola lemonade whisky vodka gin rum cider
peanut almond walnut cashew hazelnut shellfish gluten dairy lactose egg soy sesame penicillin pollen dust latex ibuprofen aspirin
beef pork lamb chicken fish tofu meat seafood
apple banana mango grape strawberry pear peach cherry melon kiwi
pizza pasta sushi burger curry ramen taco salad soup steak
guitar piano violin drum drums flute cello saxophone trumpet bass ukulele
football basketball tennis golf cricket rugby hockey baseball volleyball badminton squash
hike swim run cycle ski surf climb dance yoga box row sail
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
accept reject decline
allow forbid ban
love hate
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
landlord tenant teacher tutor doctor dentist therapist lawyer accountant vet nurse coach he she they ex
"""
# Words without content of their own in a statement about someone.
_FILLER: Final = """
use make take thing way time name call know tell remember note important currently recently originally personally regularly
absolutely truly definitely certainly lately nowadays moment right long especially particularly kind sort type such several
plenty number amount able happen place hold held own new old also ask think feel say day around there towards within amongst
favour fact actual main mainly primary really typical generally normally frequent lot person people someone current present role
position title status state be have do it both
"""

CANONICAL: Final[dict[str, str]] = {
    stem(word): stem(line.split()[0]) for line in _SAME.strip().splitlines() for word in line.split()
}
FILLER: Final = frozenset(stem(word) for word in _FILLER.split())


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
PERSONS: Final = frozenset(canonical(stem(word)) for word in _PERSONS.split())
PRONOUNS: Final = {"he": "he", "him": "he", "his": "he", "she": "she", "her": "she", "hers": "she", "they": "they",
                   "them": "they", "their": "they"}  # fmt: skip
# Words that the content stems leave out but that change what is said.
WEIGHTY: Final = {
    "before": "before", "after": "after", "until": "until", "since": "since", "more": "more", "less": "less", "fewer": "less",
    "most": "more", "least": "less", "only": "only", "always": "always", "sometimes": "sometimes", "often": "often",
    "frequently": "often", "usually": "often", "occasionally": "sometimes", "over": "over", "under": "under", "above": "over",
    "below": "under", "up": "up", "down": "down", "off": "off", "all": "all", "some": "some", "almost": "almost",
    "nearly": "almost", "except": "except", "instead": "instead", "every": "every", "first": "first", "last": "last",
    "weekly": "weekly", "daily": "daily", "monthly": "monthly", "yearly": "yearly", "annually": "yearly",
}  # fmt: skip
UNSURE: Final = frozenset(
    [
        "might",
        "may",
        "maybe",
        "perhaps",
        "possibly",
        "probably",
        "consider",
        "considering",
        "thinking",
        "want",
        "wants",
        "wanted",
        "hope",
        "hopes",
        "plan",
        "plans",
        "planning",
        "planned",
        "would",
        "could",
        "should",
        "wish",
        "wishes",
        "intend",
        "intends",
        "need",
        "needs",
        "aim",
        "aims",
        "dream",
        "dreams",
        "if",
    ]
)
DIRECTED: Final = frozenset(["from", "to", "before", "after", "than", "over", "against", "by", "instead"])
