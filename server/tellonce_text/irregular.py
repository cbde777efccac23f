"""Irregular English word forms that no suffix rule covers, each with its base form. Data only."""

from typing import Final

_FORMS: Final = """
be been being; become became; begin began begun; bend bent; bite bitten; bleed bled; blow blew blown; break broke broken;
breed bred; bring brought; build built; burn burnt; buy bought; catch caught; child children; choose chose chosen; come came;
creep crept; deal dealt; dig dug; do did done; draw drew drawn; dream dreamt; drink drank drunk; drive drove driven;
eat ate eaten; fall fell fallen; feed fed; feel felt; fight fought; find found; flee fled; fly flew flown;
foot feet; forbid forbade forbidden; forget forgot forgotten; forgive forgave forgiven; freeze froze frozen; get got gotten;
give gave given; go went gone; goose geese; grow grew grown; hang hung; hear heard; hide hid hidden; hold held; keep kept;
kneel knelt; knife knives; know knew known; lead led; lean leant; learn learnt; leave left; lend lent;
lose lost; make made; man men; mean meant; meet met; mouse mice; pay paid; person people;
quit quitted; ride rode ridden; ring rang tier; rise risen; run ran; say said; see saw seen; seek sought; sell sold;
send sent; sew sewn; shake shook shaken; shelf shelves; shine shone; shoot shot; shrink shrank shrunk; sing sang sung;
sink sank sunk; sit sat; sleep slept; slide slid; smell smelt; speak spoke spoken; spend spent; spill spilt; spin spun;
spoil spoilt; stand stood; steal stole stolen; stick stuck; sting stung; strike struck; swear swore sworn; sweep swept;
swim swam swum; swing swung; take took taken; teach taught; tear tore torn; tell told; think thought; thief thieves;
throw threw thrown; tooth teeth; understand understood; wake woke woken; wear wore worn; weave wove woven; weep wept;
wife wives; win won; withdraw withdrew withdrawn; wolf wolves; woman women; write wrote written
"""

BASE: Final = {form: base for entry in _FORMS.split(";") for base, *forms in [entry.split()] for form in forms}
