"""Determines whether an expression in a sentence is about the past or the future. If the sentence does not show this,
there is no direction."""

from typing import Final, NamedTuple

from tellonce_text.dates.lexicon import endings
from tellonce_text.dates.readings import Direction
from tellonce_text.dates.tokens import Line
from tellonce_text.dates.verb_forms import (
    by_auxiliary,
    is_adjective,
    is_condition,
    is_contracted,
    is_english_adjective,
    is_english_participle,
    is_led_noun,
    is_name,
    is_named_act,
    is_participle,
    is_preterite,
    is_state,
    is_strong,
    is_subordinate,
    is_whole_perfect,
)

_FAR: Final = 30
"""Maximum number of tokens that are read on each side of an expression. The limit makes the time linear even for a text
without punctuation."""
_BESIDE: Final = 4  # tokens: `having the old boiler serviced`
_UNTIL: Final = frozenset({"until", "till"})
_KNOWN_ENDINGS: Final = ("s", "ed", "n't", "'ll", "'d", "ly")
_OTHER_CLAUSE: Final = frozenset({"tense_present", "tense_subject", "weekday", "day", "month", "unit"})
"""If a token with one of these tags is between a verb and the expression, the verb belongs to another clause or day."""
_RESIDENCE: Final = frozenset({"here", "there", "out", "away", "house", "home", "abroad"})
_JOINTS: Final = frozenset({"clause", "and"})
_SIGNS: Final = frozenset({"tense_perfect", "tense_past", "tense_future", "tense_arranged"})
"""The tags of English words that indicate a direction. A word that ends in -ed can indicate a direction, too."""
_THIRD_PERSON: Final = frozenset({"he", "she", "it"})
"""Before a verb without -s, these words show that the verb is in the past tense: `he hit`, but not `they hit`."""
_SHORTEST_VERB: Final = 4
_SHORTEST_STEM: Final = 2  # minimum letters before an ending; `parei` is not a future
_SHORTEST_PAST: Final = 3
_APART: Final = frozenset(",:()–—-")


class Look(NamedTuple):
    """The direction of an expression. `sure`: a verb gives the direction. `own`: that verb is in the same clause as the
    expression. `inferred`: the future is assumed only because nothing indicates the past."""

    direction: Direction | None
    sure: bool = False
    own: bool = True
    inferred: bool = False


def direction_at(line: Line, first: int, end: int) -> Look:
    """The direction of the verb that governs the tokens from `first` to `end`.

    The direction comes from the nearest verb before these tokens or, if there is none, from the nearest verb after
    them. An English sentence without a verb is more often about the future.
    """
    return _by_neighbors(line, first, end) or _by_verb_before(line, first, end) or _by_verb_after(line, first, end)


def _by_neighbors(line: Line, first: int, end: int) -> Look | None:
    """The direction that a word next to the expression gives, whatever the verb is; None if there is no such word."""
    lead = first - 1 - line[first - 1].has("article")
    moved_from = line[first - 1].word == "from" and any(line[at].has("tense_arranged") for at in _back(line, first))
    moved_from = moved_from or (line[first - 1].has("from") and "tense_moved" in line.tags)
    if moved_from or _reported(line, first) or _only_arranged(line, first):  # `moved from Tuesday to Thursday`
        return Look(None)
    if line[lead].kind == "word" and line[lead - 1].has("thanks"):  # `Thanks for Saturday`
        return Look("past", sure=True)
    if _is_attribute(line, first, end):
        return Look("past", own=line.language == "de")
    near = range(max(0, first - _FAR // 4), first + _FAR // 4)
    small = (at for at in range(first - 1, first - 4, -1) if not (line[at].has("article") or line[at].has("on")))
    limit = line[next(small, first)].has("latest")  # `spätestens am Freitag`
    if limit or any(line[index].has("tense_moved") for index in near):
        return Look("future", sure=True)
    if _is_reported_on(line, first):
        return Look("past", sure=True)
    planned = "tense_planned" in line.tags and any(
        line[at].has("tense_planned") for at in range(_back(line, first).stop + 1, _clause_end(line, first, end))
    )
    return Look(None) if planned else None  # something was planned or canceled, on this day or for this day


def _by_verb_before(line: Line, first: int, end: int) -> Look | None:
    before, english = _before(line, first), line.language == "en"
    lead = line[first - 1 - line[first - 1].has("article")]
    if before == "past" and (lead.has("for") or (lead.has("by") and _after(line, first, end) != "past")):
        return Look("future", sure=True, own=False)
    if before is None:
        return None
    own = _in_clause(line, first, end, before)
    if before == "future" and not own:  # `was due on Friday`
        return Look(None, own=False)
    if before == "past" and not own and not english:
        begin = _clause_begin(line, first)
        if begin and not _may_be_past(line, first, begin, _clause_end(line, first, end)):
            return Look("future", sure=True, inferred=True)
    return Look(before, sure=own or not english, own=own)


def _by_verb_after(line: Line, first: int, end: int) -> Look:
    english = line.language == "en"
    beginning = next((at for at in reversed(_back(line, first)) if line[at].kind == "word"), first)
    ordered = line[beginning].has("tense_order")  # `Remind me Friday`
    if not ordered and english and _is_either_before(line, first):
        return Look(None, own=False)
    found = "future" if ordered else _after(line, first, end)
    begin, stop = line.sentences[first]
    if not english and found != "past" and _may_be_past(line, first, begin, first if found else stop):
        return Look(None)
    if english:
        own = not _may_be_either(line, first, end) and (found or not _has_unknown_verb(line, first, end))
        return Look(found or "future", sure=found is not None, own=bool(own))
    return Look(found or "future", sure=True, inferred=found is None)


def _is_attribute(line: Line, first: int, end: int) -> bool:
    """Whether the date belongs to a thing, as in `the contract of 3 March`, so that the tense says nothing about it."""
    if any(line[at].has("to") or line[at].word in _APART for at in range(first, end)):
        return False
    before = line[first - 1]
    return (before.word == "of" and line[first - 2].word != "as") or (line.language == "de" and before.word == "vom")


def _may_be_either(line: Line, first: int, end: int) -> bool:
    """Whether the tense of an English verb near the expression is unclear: `I hit a deer`, `they said no`."""
    if "tense_either" not in line.tags and "tense_reported" not in line.tags:
        return False
    after = range(end, min(_clause_end(line, first, end), end + _FAR))
    return any(line[at].has("tense_either") or line[at].has("tense_reported") for at in after)


def _has_unknown_verb(line: Line, first: int, end: int) -> bool:
    """Whether the clause has a pronoun with an unknown verb, as in `we overslept`, which may be past."""
    if "tense_subject" not in line.tags:
        return False
    near = range(_back(line, first).stop + 1, _clause_end(line, first, end))
    verbs = (line[at + 1] for at in near if line[at].has("tense_subject"))
    return any(verb.kind == "word" and not verb.tags and not verb.word.endswith(_KNOWN_ENDINGS) for verb in verbs)


def _is_either_before(line: Line, first: int) -> bool:
    """Whether a verb with the same past and present form comes before the expression. `let's` does not count."""
    back = _back(line, first)
    either = any(line[at].has("tense_either") and not line[at].word.endswith("'s") for at in back)
    return either or any(is_contracted(line, at) for at in back)


def _may_be_past(line: Line, first: int, begin: int, end: int) -> bool:
    """Whether a word from `begin` to `end` looks like a past verb or a participle."""
    near = range(max(begin, first - _FAR), min(end, first + _FAR))
    return any(_looks_past(line, at) for at in near)


def _looks_past(line: Line, index: int) -> bool:
    token = line[index]
    if is_named_act(line, index):
        return False
    if token.has("tense_strong"):
        return not is_name(line, index)
    if token.has("tense_past") or token.has("tense_weak"):
        return not token.has("tense_perfect") or is_whole_perfect(line, index)
    if token.tags or token.kind != "word" or len(token.word) < _SHORTEST_PAST or is_led_noun(line, index):
        return False
    german = line.language == "de"
    if is_name(line, index) or (german and is_adjective(line, index)):
        return False
    return token.word.endswith(endings(line.language, "maybe")) or (
        german and (is_participle(token) or is_strong(token))
    )


def _in_clause(line: Line, first: int, end: int, found: Direction) -> bool:
    """Whether the past verb is in the expression's clause and not in a clause about a plan. A present verb between them
    begins another clause: `the course I paid for starts Friday`."""
    back = _back(line, first)
    if found == "future":
        return not any(line[at].has("tense_future") and line[at - 1].word in {"was", "were"} for at in back)
    if _is_question_of(line, first, end):
        return False
    for index in back:
        if line[index].has("tense_subject") and _sign(line, index - 1, first) == "past":
            continue  # the subject follows its verb: `da ging ich am Freitag hin`
        if line[index].has("clause") or line[index].word in _APART:
            return _after(line, first, end) == "past"
        if _sign(line, index, first) == "past":
            # At the beginning of a sentence, a participle gives no direction: `Closed on Friday`.
            opens = index == line.sentences[first][0] and index >= first - 2
            return not (opens and is_english_participle(line[index]))
        if not _OTHER_CLAUSE.isdisjoint(line[index].tags):
            return False
    return True


def _clause_begin(line: Line, first: int) -> int | None:
    """The first token of the expression's clause, if a subject or a conjunction shows it."""
    begins = (
        at
        for at in _back(line, first)
        if line[at].has("clause") or line[at].has("tense_subject") or (line[at].word == "," and at < first - 2)
    )
    return next(begins, None)


def _is_question_of(line: Line, first: int, end: int) -> bool:
    """Whether the question is about the day itself: `Was Friday all right?`, `Did you say Friday?`."""
    asked = line[line.sentences[end - 1][1] - 1].word == "?"
    return line[first - 1].word in {"say", "mean"} or (first == line.sentences[first][0] + 1 and asked)


def _reported(line: Line, first: int) -> bool:
    """Whether the day was only thought or said, as in `I thought the meeting was the 12th`."""
    back = _back(line, first) if "tense_reported" in line.tags else ()
    token = next((line[at] for at in back if line[at].has("tense_reported") or line[at].has("tense_future")), None)
    if token is None or not token.has("tense_reported"):
        return False
    return token.word in {"thought", "assumed"} or not line[first - 1].has("on")


def _is_reported_on(line: Line, first: int) -> bool:
    """Whether something was told on this day, as in `she told me on Sunday that …` or `they announced it on Sunday`."""
    announced = line[first - 3].has("tense_planned") and line[first - 2].word in {"it", "that", "this"}
    reported = any(line[at].has("tense_reported") for at in (first - 2, first - 3))
    return line[first - 1].has("on") and (announced or reported)


def _only_arranged(line: Line, first: int) -> bool:
    """Whether the verb only reports an arrangement: `signed up for a race in September`. September can be the time of
    the signing-up or of the race."""
    for index in _back(line, first) if "tense_arranged" in line.tags else ():
        token = line[index]
        if _changes_residence(line, index, first):
            return False
        signed = token.word == "signed" and line[index + 1].word != "up"  # `signed the lease on Friday`
        if token.has("tense_arranged") and is_english_participle(token) and not signed:
            auxiliary = any(line[at].has("tense_be") for at in range(index - 3, index))
            beside = (index == first - 1 and token.word.endswith("ed")) or line[first - 1].word in {"in", "on"}
            return not auxiliary and beside
        if _sign(line, index, first) or token.has("tense_present"):
            return False
    return False


def _changes_residence(line: Line, index: int, first: int) -> bool:
    """Whether a person moved: `I moved to Cardiff`, `moved here in March`, but not `the talk was moved to March`."""
    following = line[index + 1].word
    if following == "in":  # `moved in on Friday`, but not `moved in March`
        return index + 2 < first
    return following in _RESIDENCE or (following == "to" and line[index - 1].has("tense_subject"))


def _back(line: Line, first: int) -> range:
    """Return the indexes of the tokens before the expression in the expression's sentence, the nearest token first."""
    return range(first - 1, max(line.sentences[first][0], first - _FAR) - 1, -1)


def _before(line: Line, first: int) -> Direction | None:
    infinitive = False
    weak: Direction | None = None
    for index in _back(line, first):
        if is_subordinate(line, index):
            return weak
        found = _sign(line, index, first, infinitive=infinitive)
        if found:
            return found
        if weak and (line[index].word == "," or line[index].has("clause")):
            return weak
        if _is_present(line, index):
            weak = "future"
        infinitive = infinitive or (line[index].word == "to" and index + 1 < first)
    return weak


def _after(line: Line, first: int, end: int) -> Direction | None:
    weak: Direction | None = None
    clause_end = _clause_end(line, first, end)
    for index in range(end, min(line.sentences[end - 1][1], end + _FAR)):
        found = _sign(line, index, -1)
        if index > clause_end and (found == "past" or (found and line.language != "en")):
            return weak
        if found:
            return found
        if _is_present(line, index):
            weak = "future"
    return weak


def _clause_end(line: Line, first: int, end: int) -> int:
    """The token that ends the expression's clause. A comma directly after an opening expression does not end it: `On
    Friday, we met`."""
    before = (line[at].tags for at in _back(line, first))
    begins = all(tags and not any(tag.startswith("tense_") for tag in tags) for tags in before)
    until = min(line.sentences[end - 1][1], end + _FAR)
    near = range(end + begins, until)
    return next((at for at in near if line[at].word in _APART or not _JOINTS.isdisjoint(line[at].tags)), until)


def _is_present(line: Line, index: int) -> bool:
    """Whether the token is a verb in the present tense, and not the auxiliary of a perfect (`ist angekommen`)."""
    return line[index].has("tense_present") and (line.language == "en" or not is_whole_perfect(line, index))


def _sign(line: Line, index: int, first: int, *, infinitive: bool = False) -> Direction | None:
    """The direction that this token indicates. `first` is the expression's index, or -1 if the token comes after it."""
    token = line[index]
    if token.kind != "word":
        return None
    if "having" in line.tags and any(line[at].has("having") for at in range(index - _BESIDE, index)):
        return "future"
    if token.has("tense_either") and line[index - 1].word in _THIRD_PERSON:
        return "past"
    if line.language == "en" and not token.word.endswith("ed") and _SIGNS.isdisjoint(token.tags):
        return None
    if token.has("tense_perfect") and line.language != "de":
        return "past" if is_whole_perfect(line, index) else None
    if token.has("tense_order") and index == line.sentences[index][0]:
        return None
    if token.has("tense_past") and not (token.has("unit") or token.has("season") or is_named_act(line, index)):
        return _sign_of_past(line, index)
    if token.has("tense_future"):
        return "future"
    if line.language != "en":
        return _by_ending(line, index)
    if not is_english_participle(token) or is_english_adjective(line, index) or is_condition(line, index):
        return None
    beside = index == first - 2 and line[first - 1].word not in _UNTIL
    if first > index and _moved_to(line, first) and (token.has("tense_arranged") or beside):
        return "future"
    return "future" if infinitive and token.has("tense_committed") else by_auxiliary(line, index)


def _sign_of_past(line: Line, index: int) -> Direction | None:
    token = line[index]
    if line.language == "en" and (is_english_adjective(line, index) or is_state(line, index)):
        return None
    if token.word == "got" and (line[index - 1].has("tense_have") or line[index - 2].has("tense_have")):
        return "future"
    whole = not token.has("tense_perfect") or is_whole_perfect(line, index)
    return "past" if whole and not is_condition(line, index) else None


def _by_ending(line: Line, index: int) -> Direction | None:
    """The direction that a verb ending indicates outside English. Some endings are also endings of nouns. Such an
    ending counts only after a pronoun: `я потерял`."""
    token = line[index]
    if token.has("tense_strong") and not token.capital:
        return "past"
    if token.tags or is_name(line, index) or is_led_noun(line, index) or is_condition(line, index):
        return None
    if line.language == "de":
        return "past" if is_preterite(line, index) else None
    if len(token.word) < _SHORTEST_VERB:
        return None
    if token.word[_SHORTEST_STEM:].endswith(endings(line.language, "future")):
        return "future"
    personal = "person" if line[index - 1].has("tense_person") else "past"
    return "past" if token.word.endswith((*endings(line.language, "past"), *endings(line.language, personal))) else None


def _moved_to(line: Line, first: int) -> bool:
    """Whether something was moved or arranged to this day: `pushed to May 12`, `booked for Friday`."""
    at = first - 1
    while at > first - 4 and (line[at].has("article") or line[at].word in {"after", "before", "around", "about"}):
        at -= 1
    return line[at].word in {"to", "for", "until", "till", "forward", "back"}
