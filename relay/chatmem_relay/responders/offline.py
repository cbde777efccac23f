"""Answers from the memory alone, with no model and no key: quotes what was said, with its date."""

import re
from collections.abc import AsyncIterator, Sequence
from datetime import datetime

from chatmem import contract as c
from chatmem.client import MemoryClient
from chatmem_relay.incoming import Incoming
from chatmem_relay.prompt import Prompt

_QUESTION = re.compile(
    r"[?？]\s*$|^\W*(?:what|how|why|when|where|who|which|whose|do|does|did|is|are|was|were|can|could|tell me|remind me)\b",
    re.IGNORECASE,
)
_ABOUT_ME = re.compile(r"\bwhat\b.*\bknow\b.*\bme\b|\bwho am i\b|\bmy profile\b", re.IGNORECASE)
_LONGEST = 400
NOTHING = "I have nothing on that in memory yet."
NOTED = "Noted. No language model is configured, so I only keep this and answer questions from memory."


class OfflineResponder:
    name = "offline"

    async def answer(self, prompt: Prompt, incoming: Incoming, memory: MemoryClient) -> AsyncIterator[str]:
        if _ABOUT_ME.search(incoming.text):
            profile = await memory.get_profile(c.GetProfileArgs(chat_id=incoming.chat_id))
            yield about(profile)
        elif _QUESTION.search(incoming.text):
            yield from_memory(await self._found(incoming, memory), incoming)
        else:
            yield NOTED

    async def _found(self, incoming: Incoming, memory: MemoryClient) -> Sequence[c.SearchResult]:
        args = c.SearchMemoryArgs(query=incoming.text, chat_id=incoming.chat_id, limit=8)
        return (await memory.search_memory(args)).results


def from_memory(results: Sequence[c.SearchResult], incoming: Incoming) -> str:
    """The best two things found, quoted with their dates; never the question itself."""
    told = [r for r in results if not _is_echo(r, incoming)]
    if not told:
        return NOTHING
    first, *rest = told
    lines = [f"{_source(first)}: {_short(first.text)}"]
    lines += [f"{_source(r)}: {_short(r.text)}" for r in rest[:1] if r.score >= first.score / 2]
    return "\n".join(lines)


def about(profile: c.Profile) -> str:
    """What is known, grouped."""
    groups = {
        "Facts": profile.facts,
        "Preferences": profile.preferences,
        "Goals": profile.goals,
        "Dates": profile.dates,
    }
    lines = [f"{title}: " + "; ".join(m.content for m in entries) for title, entries in groups.items() if entries]
    return "\n".join(lines) or "I know nothing about you yet."


def _is_echo(result: c.SearchResult, incoming: Incoming) -> bool:
    """The question itself, an earlier question, or one of our own answers says nothing new."""
    if result.kind != "message":
        return False
    asked = bool(_QUESTION.search(result.text)) and len(result.text) < 200
    own = result.role == "assistant" and result.text.startswith((NOTHING, NOTED, "You told me on", "You said on"))
    return asked or own or result.text.strip() == incoming.text.strip()


def _source(result: c.SearchResult) -> str:
    when = _day(result.at)
    if result.kind == "message":
        who = result.speaker or ("You" if result.role == "user" else "I")
        return f"{who} said on {when}"
    return f"From our talk up to {when}" if result.kind == "summary" else f"You told me on {when}"


def _day(at: datetime) -> str:
    return f"{at:%B} {at.day}, {at.year}"


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _LONGEST else flat[: _LONGEST - 1] + "…"
