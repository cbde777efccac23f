"""A model that answers the summarizer as a competent one would, from what stands in the prompt and nothing else."""

import re
from typing import Any

from tests.stubs.replies import Reply, Say, say_json
from tests.stubs.stub import Asked

_NEW_LINE = re.compile(r"^#(\d+) (user|assistant)[^:]*, \w{3} (\d{4})-(\d\d)-(\d\d) \d\d:\d\d: (.*)$", re.MULTILINE)

# (what the user says, the list it belongs to, whether it is certain, the statement; `{year}` is the message's)
_KNOWLEDGE: tuple[tuple[str, str, bool, str], ...] = (
    (r"I work as a Solution Architect at GovTech", "facts", True, "Works as a Solution Architect at GovTech"),
    (r"My name is Priya", "facts", True, "Name is Priya"),
    (r"SingPass integration project", "facts", True, "Is working on a SingPass integration project"),
    (r"always give me concise responses", "preferences", True, "Always give concise responses with bullet points"),
    (r"I hate long paragraphs", "preferences", True, "Hates long paragraphs"),
    (
        r"launch the SingPass API integration by Q2 2026",
        "goals",
        True,
        "Launch the SingPass API integration by Q2 2026",
    ),
    (r"restart the SingPass project by Q3 2026", "goals", True, "Restart the SingPass project by Q3 2026"),
    (r"team offsite is on March (\d+)", "dates", True, r"Team offsite is on March \1"),
    (r"I might move to Berlin next year", "facts", False, "Might move to Berlin next year"),
    (r"Maybe I'll learn the cello", "goals", False, "Might learn the cello"),
    (r"I live in Singapore", "facts", True, "Lives in Singapore"),
    (r"I moved to Lisbon last week", "facts", True, "Moved to Lisbon"),
    (r"like tea", "preferences", True, "Likes tea"),
    (r"My AWS account number is (\d+)", "facts", True, r"AWS account number for the dev environment is \1"),
    (r"Decision (\d+): we will use (vendor number \d+)", "facts", True, r"Decision \1: uses \2"),
)


def competent(asked: Asked) -> Reply:
    """By the shape that is asked for."""
    schema = asked.schema or {}
    fields = set(schema.get("properties", {}))
    if "certain" in fields:
        return say_json(_extracted(asked.user))
    if "paragraph" in fields:
        return say_json(_summary(asked.user))
    return Say(_plain(asked.user))


def _extracted(prompt: str) -> dict[str, Any]:
    found: dict[str, dict[str, list[dict[str, Any]]]] = {
        side: {name: [] for name in ("facts", "preferences", "goals", "dates")} for side in ("certain", "uncertain")
    }
    lines = [match for match in _NEW_LINE.finditer(prompt.partition("NEW MESSAGES\n")[2]) if match[2] == "user"]
    for line in lines:
        for pattern, name, certain, statement in _KNOWLEDGE:
            if told := re.search(pattern, line[6]):
                item = {"text": told.expand(statement), "quote": told[0], "source_ids": [int(line[1])]}
                found["certain" if certain else "uncertain"][name].append(item)
    said = " ".join(line[6] for line in lines)
    new = [item["text"] for items in found["certain"].values() for item in items]
    canonical = {"llm_inferred": "\n".join(f"- {text}" for text in new), "general_summary": said[:200]}
    return {**found, "canonical": canonical}


def _summary(prompt: str) -> dict[str, Any]:
    said = [match[6] for match in re.finditer(_NEW_LINE, prompt) if match[2] == "user"]
    text = " ".join(said) or _plain(prompt)
    return {"paragraph": f"The user spoke of this: {text[:600]}"}


def _plain(prompt: str) -> str:
    """The memories listed in the prompt, as a narrative."""
    lines = [line.strip(" -•") for line in prompt.splitlines() if line.startswith("-")]
    return "The user: " + "; ".join(lines) if lines else "A person."
