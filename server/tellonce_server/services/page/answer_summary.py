"""Summarizes a receipt for a person. The summary has the number of shown items of each kind, and the number of omitted
items for each reason. Pure."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final, Literal, get_args

from pydantic import AwareDatetime

from tellonce.contract import Explanation, Section, ShownName
from tellonce.contract_types import Contract
from tellonce_server.store.page import AnswerEntry, RecalledLine

_KINDS: Final = {"message": "messages", "messages": "messages", "summary": "summaries", "summaries": "summaries"}
"""For each kind of item on a receipt, the name under which it is counted. The log is counted in lines. A kind that is
not listed here is counted as a memory."""
_FOUND: Final = "relevant "
_ENTRY: Final = re.compile(r"(?P<kind>\w+)(?: (?P<id>\d+))?: (?P<why>.*)")
"""An entry such as `message 12: history budget`, `profile: budget`, or `log 48: …`. The last one means that 48 lines of
the log were left out."""
_LINE: Final = re.compile(r"- |\[")
_NUMBER: Final = re.compile(r"(?:- |\[\w+ )#(\d+)")


LeftOutWhy = Literal["full", "clipped", "enough"]


class LeftOut(Contract):
    """The things that were left out or clipped for one reason. `things` counts the things by kind; the kind
    `section.NAME` is a whole section."""

    why: LeftOutWhy
    things: dict[str, int]


class PageAnswer(Contract):
    """The basis of an answer. `replies` are the assistant's messages to the question. `shown` and `found` count things by
    kind, as `LeftOut` does. `found` counts what a search for the question added. `shown` counts everything else in the
    assistant's context."""

    answer: AnswerEntry | None
    at: AwareDatetime
    sections: tuple[Section, ...]
    shown: dict[str, int]
    found: dict[str, int]
    left: tuple[LeftOut, ...]
    recalled: tuple[RecalledLine, ...]
    replies: tuple[str, ...] = ()


def answer_summary(receipt: Explanation, answer: AnswerEntry | None) -> PageAnswer:
    found = [(kind, len(ids)) for kind, ids in receipt.included.items() if kind.startswith(_FOUND)]
    shown = [(kind, len(ids)) for kind, ids in receipt.included.items() if not kind.startswith(_FOUND)]
    profile = {"section.profile": 1} if any(section.name == "profile" for section in receipt.sections) else {}
    return PageAnswer(
        answer=answer,
        at=receipt.at,
        sections=receipt.sections,
        shown={**profile, **_counted(shown)},
        found=_counted((kind.removeprefix(_FOUND), n) for kind, n in found),
        left=tuple(_left(receipt.left_out)),
        recalled=tuple(_recalled(receipt)),
    )


def _counted(things: Iterable[tuple[str, int]]) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for kind, n in things:
        counts[_name(kind)] += n
    return dict(counts)


def _name(kind: str) -> str:
    return "lines" if kind == "log" else _KINDS.get(kind.partition(" ")[0], "memories")


def _left(entries: Iterable[str]) -> Iterable[LeftOut]:
    by_reason: dict[LeftOutWhy, Counter[str]] = {}
    for entry in entries:
        parsed = _ENTRY.fullmatch(entry)
        if parsed is None:
            continue
        kind, number = parsed["kind"], parsed["id"]
        counts = by_reason.setdefault(_why(parsed["why"]), Counter())
        if number is not None:
            counts[_name(kind)] += int(number) if kind == "log" else 1
        elif kind in get_args(ShownName):
            counts[f"section.{kind}"] = 1
    return [LeftOut(why=why, things=dict(counts)) for why, counts in by_reason.items()]


def _why(reason: str) -> LeftOutWhy:
    if reason.startswith("clipped"):
        return "clipped"
    return "enough" if reason.startswith("before") else "full"


def _recalled(receipt: Explanation) -> Iterable[RecalledLine]:
    """The memories and search results of the context, one for each line."""
    for section in receipt.sections:
        if section.name in ("memories", "relevant"):
            for line in filter(_LINE.match, section.text.split("\n")):
                number = _NUMBER.match(line)
                text = line.removeprefix("- ")
                yield RecalledLine(memory_id=int(number[1]) if number else None, text=text)
