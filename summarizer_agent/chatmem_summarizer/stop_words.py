"""Words that tell nothing of what a text is about: English, with the commonest of its neighbours."""

_TEXT = """
a about above after again all also although always am an and any are aren't as ask at away back be because been
before being below better between both but by bye came can can't cannot come could couldn't did didn't do does
doesn't doing don't done down each either else even ever every few first for from further get gets getting give
go goes going gonna good got great had has have haven't having he hello help her here hers hey hi him his hope
how i i'd i'll i'm i've if in instead into is isn't it it's its just keep know last lastly let let's like look
lot made make makes many may maybe me mean might more most much must my need needs never new next no nor not now
of off ok okay on once one only or other our out over own perhaps please probably put quite rather really right
said same say says see seem should show since so some something soon still such sure take tell than thank thanks
that that's the their them then there there's these they thing things think this those though through to today
together told tomorrow too try trying two under until up us use used using very via want wants was wasn't way we
we're well went were what what's when where whether which while who why will with within without won't work
would wouldn't yeah yes yesterday yet you you'd you'll you're you've your yours user assistant message und der
die das ist ich nicht ein eine mit für que de la el en los un una por con para les des est une pour dans et le
january february march april june july august september october november december jan feb mar apr jun jul aug
sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday year years month months week weeks
day days hour hours minutes start started starting time times lots bit everyone anyone someone anything
everything nothing people person guys recommend noted usually
wir haben habe hat auch zu den dem von wie auf mein meine sie es im am gut ja nein bitte noch war wird sind oder aber
dass dann schon mir mich dir dich euch uns was wenn nur mal muss kann soll du ihr eines einen einem bis sehr doch nach
hast tut kein keine welche welcher welches unser unsere meinen meiner dein deine wäre gerne geht gibt
los las del al se lo mi tu su es y o pero como muy está tengo hay más por qué sí también fue ser
les ce qui sur au aux nous vous je tu il elle on ne pas mon ma mes avec j'ai c'est mais ou oui très aussi
и в на я не что мы с по это у мой моя как но за к для из от он она есть мне меня так же вы ты да нет бы
"""

STOP_WORDS = frozenset(_TEXT.split())
