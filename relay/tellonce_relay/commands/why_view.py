"""Writes the text of `/why` from a receipt: the stored list of the texts in an answer's context. Pure."""

import re
from collections import Counter
from collections.abc import Iterator

from tellonce.contract import Explanation
from tellonce_relay.catalogue import counted, from_english, phrase
from tellonce_relay.responders.offline import quotes_in, quotes_nothing
from tellonce_relay.telegram.markdown import rendered
from tellonce_relay.views import SHOWN, in_days, short, without_stamps

_NOUNS = ("message", "memory", "summary")
_FOUND = re.compile(r"\[(?P<when>[^\],|]*(?:, \d{4})?)[^\]]*\] (?:(?P<who>User|Assistant)[^:]*: |: )?(?P<text>.*)")
"""Matches a line of the context such as `[Feb 15, 3 days ago | 09:15 AM] User: …`."""
_NUMBERED = re.compile(r"\A- (?:#\d+ )?")
"""Matches the beginning of a memory's line. The numbers of memories help models, but not people."""


_DAYS = re.compile(r" \((?P<said>[^()]*?)(?:, (?:(?:due|overdue since) (?P<due>[^()]*)|(?:on|past:) [^()]*))?\)\Z")
"""Matches the days at the end of a memory's line; the text of an event also contains the day of the event."""


def why_view(message: Explanation, receipt: Explanation | None = None, *, said: bool = False) -> str:
    """The answer, followed by the contents of its context. For an answer without a model, only the quotes in the answer
    are shown, because nothing else was used. `said` means that the message is the person's own."""
    quoted = [] if said else quotes_in(message.text)
    if quoted:
        return "\n".join([phrase("why.quoted"), *(f"• {line}" for line in quoted)])
    if not said and quotes_nothing(message.text):
        return "\n".join([phrase("why.answered", text=short(message.text)), phrase("why.from_nothing")])
    lines = list(_held(receipt)) if receipt is not None else []
    learned = [f"• {in_days(m.content)}" for m in message.memories]
    lines += [phrase("why.learned"), *learned] if learned else []
    none = "why.nothing_learned" if said else "why.no_record"
    head = phrase("why.said" if said else "why.answered", text=short(rendered(message.text).text))
    return "\n".join([head, *(lines or [phrase(none)])])


def _held(receipt: Explanation) -> Iterator[str]:
    things = _counts(receipt)
    yield phrase("why.from_things", things=", ".join(things)) if things else phrase("why.from_talk")
    for name, title in (("memories", "why.remembered"), ("relevant", "why.found")):
        shown = [f"• {_sentence(line)}" for line in _body(receipt, name)[:SHOWN]]
        if shown:
            yield from (phrase(title), *shown)
    left = Counter(_noun(item) for item in receipt.left_out if item.endswith(" budget"))
    if left:
        yield phrase("why.left_out", things=", ".join(counted(noun, count) for noun, count in left.items()))


def _counts(receipt: Explanation) -> list[str]:
    found: Counter[str] = Counter()
    for kind, ids in receipt.included.items():
        found[_noun(kind.removeprefix("relevant "), "memory")] += len(ids)
    return [counted(noun, found[noun]) for noun in _NOUNS if found[noun]]


def _noun(kind: str, other: str = "thing") -> str:
    """The noun for a receipt entry such as `message 12: history budget`."""
    return next((n for n in _NOUNS if kind.startswith(n[:-1])), "message" if kind.startswith("log ") else other)


def _body(receipt: Explanation, name: str) -> list[str]:
    """The entries of a section, each on one line, without titles and `⟦…⟧` marks."""
    lines = [line for section in receipt.sections if section.name == name for line in section.text.split("\n")[1:]]
    entries: list[str] = []
    for line in lines:
        if line.startswith(("[", "- ")) or not entries:
            entries.append(line)
        elif not line.startswith("⟦") and not line.isupper():
            entries[-1] = f"{entries[-1]} {line}"  # a further line of the same message
    return [entry for entry in entries if entry and not entry.startswith("⟦") and not entry.isupper()]


def _sentence(line: str) -> str:
    """Convert a line of the prompt to a sentence such as `you said on Feb 15: “…”`."""
    found = _FOUND.match(line)
    if found is None:
        return short(in_days(_DAYS.sub(_days, _NUMBERED.sub("", line))))
    day, quote = (
        from_english(found["when"].strip()),
        phrase("offline.quote", text=short(without_stamps(rendered(found["text"]).text))),
    )
    match found["who"]:
        case "User":
            return phrase("offline.told", day=day, quote=quote)
        case "Assistant":
            return phrase("offline.wrote", day=day, quote=quote)
        case _:
            return short(found["text"])


def _days(found: re.Match[str]) -> str:
    said = from_english(found["said"])
    due = f", {phrase('memory.by', day=from_english(found['due']))}" if found["due"] else ""
    return f" ({said}{due})"
