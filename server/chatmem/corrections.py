"""What a text says once its writer's corrections are made: "Thursday, no wait, Friday" says Friday; no clock, no facts."""

import re
from typing import Final

_I: Final = re.IGNORECASE
_MONTH: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
_DAY: Final = (
    r"(?:(?:this|next|last) )?(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|mon|tues?|wed|thurs?|thu|fri|sat|sun)\b"
    rf"|{_MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?\b|\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}\b|\d{{1,2}}(?:st|nd|rd|th)\b"
    r"|\d{4}-\d\d-\d\d\b|(?:today|tonight|tomorrow|yesterday)\b"
)
_NUMBER: Final = (
    r"[$€£]?\d+(?:[.,:]\d+)*(?: ?(?:[ap]m|mg|mcg|kg|g|ml|km|cm|k|hours?|minutes?|years?|euros?|dollars?)\b| ?[%€])?(?!\w)"
    r"|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty)\b"
)
_NAME: Final = r"(?-i:(?!I\b|My\b|The\b|It)[A-Z][\w’'-]+(?: [A-Z][\w’'-]+){0,2})"
_KINDS: Final = tuple(re.compile(rf"(?<![\w.])(?:{kind})", _I) for kind in (_DAY, _NUMBER, _NAME))
_PREPOSITION: Final = r"(?:(?:on|at|in|by|for|to|from|with) )?(?:the )?"

# "…, no wait, …": what follows replaces what stands before, or at least takes it back.
_MARK: Final = re.compile(
    r"(?P<end>[.!…]{1,3}\s{1,3}|,\s{0,3}|\s?[;—–(]\s?|\s-{1,2}\s|\s{1,3})(?P<mark>(?:\b(?:oh|no|nope|wait|sorry|actually|(?:or )?rather|i meant?"
    r"|scratch that|strike that|make (?:that|it)|correction|oops|whoops|my bad)\b[\s,:;.…!—–-]{1,6}){1,5})(?=\S)",
    _I,
)
_STRONG: Final = re.compile(
    r"\b(?:no\W+wait|wait\W+no|scratch that|strike that|correction|i meant|make that|(?:no|wait|sorry|oops)\W+(?:i mean|sorry|no))\b",
    _I,
)
# After these a few words alone are a correction too: "in bonn, i mean berlin".
_ANNOUNCING: Final = re.compile(r"\bi meant?\s*$|\b(?:sorry|oops|whoops|my bad|rather)\s*[,:;.!…—–-]\s*$", _I)
_RIGHT: Final = re.compile(r"[^,.;:!?\n]+(?:[.:](?=\d)\d+[^,.;:!?\n]*)*")
_LEAD: Final = re.compile(rf"(?:(?:it['’]?s|it is|that['’]?s|i meant?|rather) )?(?P<preposition>{_PREPOSITION})", _I)
_SHORT_TAIL: Final = re.compile(r"(?:\s+(?:at|on|in))?(?:\s+[\w:]+)?")
_LONG_TAIL: Final = re.compile(r"(?:\s+[^\s]+){0,3}")
_CLAUSE_START: Final = re.compile(r"[.!?…]\s+|\n")
_ANEW: Final = re.compile(
    rf"(?:no|nope|sorry|oops|actually|rather),? {_PREPOSITION}(?:{_DAY}|{_NUMBER})(?: [\w:]+){{0,3}}\W*(?:\n|$)", _I
)
_MOST_CORRECTIONS: Final = 200
"""In one text: each copies the text, so that a text of nothing but "no" would take time in proportion to its square."""
_REACH: Final = 300
"""Characters before a correction in which the clause that it corrects begins."""
_SUBJECT: Final = re.compile(
    r"(?:i|i['’]\w+|we|we['’]\w+|you|he|she|it|they|my|our|who|what|how|that|don['’]?t|just)\b", _I
)

_AFTER: Final = r"(?=\s*(?:[,.;!?)]|$|\n|and\b|but\b))"
# Of values only: "tea, not coffee" says something of coffee too.
_TAKEN_BACK: Final = tuple(
    (re.compile(pattern, _I), kept)
    for pattern, kept in (
        # "It's not that I dislike my job, it's the commute"
        (r"\b(?:it['’]?s |it is )?not (?:that|because) [^,.;:!?\n]{1,60}[,;] (?=it\b|it['’]?s\b)", ""),
        # "is not on Monday but on Tuesday", "isn't Sara, it's Zara"
        (
            r"(?P<be>\b(?:is|are|was|were|am)|['’](?:s|m|re))(?:n['’]?t| not) (?!only\b|just\b)[^,.;:!?\n]{1,40}?,? but (?:rather )?"
            r"(?!(?:i|we|you|he|she|it|they|my|our|there|also|still|not|will|would|can|could|do|did|am|is|was|have|had|it['’]?s|i['’]\w+)\b)",
            r"\g<be> ",
        ),
        (
            rf"(?P<be>\b(?:is|are|was|were)|['’]s)(?:n['’]?t| not) {_PREPOSITION}(?:{_DAY}|{_NUMBER}|{_NAME})(?:[,;]| -)? "
            rf"(?:it['’]?s|it is|but) (?={_PREPOSITION}(?:{_DAY}|{_NUMBER}|{_NAME}))",
            r"\g<be> ",
        ),
        # "Friday, not Thursday", "1450, no longer 1300", "on Friday instead of Thursday"
        (rf"(?<=\w), (?:and )?(?:not|no longer) {_PREPOSITION}(?:{_DAY}|{_NUMBER}){_AFTER}", ""),
        (rf"(?P<right>{_DAY}|{_NUMBER}) not {_PREPOSITION}(?:{_DAY}|{_NUMBER}){_AFTER}", r"\g<right>"),
        (rf",? (?:instead of|rather than) {_PREPOSITION}(?:{_DAY}|{_NUMBER}){_AFTER}", ""),
        # "down from 91", "went up from 1300 to 1450", "moved from 2pm to 4:30pm"
        (rf",? \b(?:up|down) from {_PREPOSITION}(?:about )?(?:{_DAY}|{_NUMBER})(?! to\b)", ""),
        (
            r"(?P<change>\b(?:moved?|changed?|went|goes|go|raised?|upped|increased?|lowered|reduced|cut|pushed|postponed|rescheduled"
            r"|shifted|bumped|dropped|switched)\b[^.;:!?\n]{0,30}?)"
            rf" from {_PREPOSITION}(?:{_DAY}|{_NUMBER})(?: at {_NUMBER})?",
            r"\g<change>",
        ),
    )
)
_CUE: Final = re.compile(
    r"n['’]?t\b|\b(?:not|no|nope|wait|sorry|actually|rather|i meant?|scratch|strike|make|correction|oops|whoops|my bad|instead|from)\b",
    _I,
)


def corrects(sentence: str) -> bool:
    """Whether a sentence puts right the one before: "No wait, Friday."."""
    return bool(_STRONG.match(sentence) or _ANEW.match(sentence))


def settled(text: str) -> str:
    """The text with each value its writer takes back replaced or left out; the same text where nothing is corrected."""
    if not _CUE.search(text):
        return text
    start = 0
    for _ in range(_MOST_CORRECTIONS):
        mark = _MARK.search(text, start)
        if mark is None:
            break
        before, after = _corrected(text[: mark.start()], mark, text[mark.end() :])
        text, start = before + after, max(len(before), 1)
    for pattern, kept in _TAKEN_BACK:
        text = pattern.sub(kept, text)
    return text


def _corrected(before: str, mark: re.Match[str], after: str) -> tuple[str, str]:
    """What stands before the mark with its wrong part put right, and what follows."""
    starts = [match.end() for match in _CLAUSE_START.finditer(before, max(0, len(before) - _REACH))]
    start = starts[-1] if starts else max(0, len(before) - _REACH)
    right = _RIGHT.match(after)
    untouched = before + mark[0], after
    strong, announced = _STRONG.search(mark["mark"]), _ANNOUNCING.search(mark["mark"])
    if right is None or not before[start:].strip() or before.endswith("?"):
        return untouched
    if not (strong or announced) and (mark["end"].isspace() or mark["mark"].lower() == "no "):
        return untouched  # "lasts actually 4 hours"; "on Monday and Tuesday, no Friday"
    repaired = _repaired(before[start:], right[0].rstrip(), _LONG_TAIL if strong else _SHORT_TAIL)
    if repaired is not None:
        return before[:start] + repaired, after[len(right[0].rstrip()) :]
    fragment = len(right[0].split()) <= 3 and not _SUBJECT.match(right[0])
    if strong or (announced and fragment):
        return before[:start], after
    return untouched


def _repaired(wrong: str, right: str, tail_may_be: re.Pattern[str]) -> str | None:
    """`the 3rd at noon` put right by `the 4th`: the last value of the same kind, or the same preposition, gives way."""
    lead = _LEAD.match(right)
    value_at = lead.end() if lead else 0
    for kind in _KINDS:
        value, stood = kind.match(right, value_at), list(kind.finditer(wrong))
        if value is None or not stood:
            continue
        tail, place = right[value.end() :], stood[-1]
        if not tail_may_be.fullmatch(tail) or (tail and kind is _KINDS[-1]):
            return None
        return wrong[: place.start()] + value[0] + (tail or wrong[place.end() :])
    preposition = lead["preposition"].strip() if lead else ""
    at = wrong.lower().rfind(f" {preposition.lower()} ") if preposition else -1
    return wrong[: at + 1] + right[lead.start("preposition") :] if lead and at > 0 else None
