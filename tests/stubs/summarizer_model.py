"""A stub model that answers the summarizer like a competent model. It uses only the prompt."""

import re
from dataclasses import dataclass
from typing import Any

from tests.stubs.replies import Reply, Say, say_json
from tests.stubs.stub import Asked

_SAID_LINE = re.compile(r"^\[(\d+)\] user, \w{3} (\d{4})-(\d\d)-(\d\d) \d\d:\d\d: (.*)$", re.MULTILINE)
_KNOWN_LINE = re.compile(r"^#(\d+) [^:]+: (.*)$", re.MULTILINE)
_STATEMENT = re.compile(r"^STATEMENT (\d+)(?:, about [^:]+)?: (.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Understood:
    """What a competent reader learns from a kind of sentence. In `text`, `\\1` stands for the first group of `pattern`.
    The pattern `over` matches the statements that are no longer true after this sentence."""

    pattern: str
    kind: str
    text: str
    certain: bool = True
    deadline: str = ""
    day: str = ""
    over: str = r"(?!)"
    pin: bool = False


_KNOWLEDGE = (
    Understood(
        r"I work as a Solution Architect at GovTech", "fact", "The user works as a Solution Architect at GovTech"
    ),
    Understood(r"My name is Priya", "fact", "The user's name is Priya"),
    Understood(r"SingPass integration project", "fact", "The user is working on a SingPass integration project"),
    Understood(
        r"always give me concise responses", "preference", "The user always wants concise responses with bullet points"
    ),
    Understood(r"I hate long paragraphs", "preference", "The user hates long paragraphs"),
    Understood(
        r"launch the SingPass API integration by Q2 2026",
        "goal",
        "The user needs to launch the SingPass API integration by Q2 2026",
        deadline="2026-06-30",
    ),
    Understood(
        r"restart the SingPass project by Q3 2026",
        "goal",
        "The user wants to restart the SingPass project by Q3 2026",
        deadline="2026-09-30",
    ),
    Understood(
        r"team offsite is on March (\d+)",
        "date",
        r"The user's team offsite is on March \1",
        day=r"{year}-03-\1",
        over=r"team offsite is on March",
    ),
    Understood(r"I might move to Berlin next year", "goal", "The user might move to Berlin", certain=False),
    Understood(r"Maybe I'll learn the cello", "goal", "The user might learn the cello", certain=False),
    Understood(r"I live in Singapore", "fact", "The user lives in Singapore"),
    Understood(r"I moved to Lisbon last week", "fact", "The user lives in Lisbon", over=r"live[sd]? in Singapore"),
    Understood(r"like tea", "preference", "The user likes tea"),
    Understood(
        r"My AWS account number is (\d+)",
        "fact",
        r"The user's AWS account number for the dev environment is \1",
        pin=True,
    ),
    Understood(r"Decision (\d+): we will use (vendor number \d+)", "fact", r"Decision \1: the user uses \2"),
)


def competent(asked: Asked) -> Reply:
    """The answer, depending on the requested schema."""
    fields = set((asked.schema or {}).get("properties", {}))
    if "items" in fields:
        return say_json(_extracted(asked.user))
    if "verdicts" in fields:
        return say_json(_verdicts(asked.user))
    if "paragraph" in fields:
        return say_json(_summary(asked.user))
    return Say(_plain(asked.user))


def _extracted(prompt: str) -> dict[str, Any]:
    known = {int(m[1]): m[2] for m in _KNOWN_LINE.finditer(prompt.partition("MODE:")[0])}
    lines = list(_SAID_LINE.finditer(prompt.partition("NEW MESSAGES\n")[2]))
    items = [
        _item(understood, told, line, known)
        for line in lines
        for understood in _KNOWLEDGE
        if (told := re.search(understood.pattern, line[5]))
    ]
    new = [item["text"] for item in items if item["certain"]]
    said = " ".join(line[5] for line in lines)
    canonical = {"llm_inferred": "\n".join(f"- {text}" for text in new), "general_summary": said[:200]}
    return {"items": items, "canonical": canonical}


def _item(understood: Understood, told: re.Match[str], line: re.Match[str], known: dict[int, str]) -> dict[str, Any]:
    text = told.expand(understood.text)
    day = told.expand(understood.day).format(year=line[2])
    over = [n for n, old in known.items() if re.search(understood.over, old) and old != text]
    return {
        "quotes": [{"message_id": int(line[1]), "text": told[0]}],
        "text": text,
        "kind": understood.kind,
        "certain": understood.certain,
        "when": {"start": day, "end": "", "precision": "day"} if day else None,
        "deadline": understood.deadline,
        "same_as": next((number for number, old in known.items() if old == text), 0),
        "replaces": over,
        "pin": understood.pin,
    }


def _verdicts(prompt: str) -> dict[str, Any]:
    """The verdicts of a second reading. A statement is accepted if one of the messages says it."""
    messages = prompt.partition("STATEMENT 1")[0]
    return {
        "verdicts": [
            {"number": int(asked[1]), "holds": _said(asked[2], messages), "why": ""}
            for asked in _STATEMENT.finditer(prompt)
        ]
    }


def _said(statement: str, messages: str) -> bool:
    return any(
        told.expand(understood.text) == statement
        for understood in _KNOWLEDGE
        for told in re.finditer(understood.pattern, messages)
    )


def _summary(prompt: str) -> dict[str, Any]:
    said = [match[5] for match in _SAID_LINE.finditer(prompt)]
    text = " ".join(said) or _plain(prompt)
    return {"paragraph": f"The user spoke of this: {text[:600]}"}


def _plain(prompt: str) -> str:
    """A narrative that is made from the memories in the prompt."""
    lines = [line.strip(" -•") for line in prompt.splitlines() if line.startswith("-")]
    return "The user: " + "; ".join(lines) if lines else "A person."
