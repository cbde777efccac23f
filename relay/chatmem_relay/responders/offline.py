"""Answers from the memory alone, with no model and no key: quotes what was said, with its date."""

import re
from collections.abc import AsyncIterator, Sequence
from datetime import datetime

from chatmem import contract as c
from chatmem.client import MemoryClient
from chatmem_llm import Answer
from chatmem_relay.incoming import Incoming
from chatmem_relay.prompt import Prompt
from chatmem_relay.responders.wording import best_sentences, content_words, is_question, wish

NOTHING = "I have nothing on that in memory yet."
NO_MODEL = "No language model is configured, so I keep what you tell me and answer questions from memory."
CLOSEST = "I have no direct answer; the closest I have:"
_NOTED = "Noted: "
_OWN = re.compile(
    rf"(?:{re.escape(NOTHING)}|{re.escape(CLOSEST)}|{_NOTED}“|On \w+ \d+, \d{{4}} .{{1,60}}: “|I know nothing about you"
    r"|You have no \w+ in my memory|Hello\b.*No language model|You're welcome\.\Z)"
)
_LONGEST = 400
_FOUND = 12


class OfflineResponder:
    name = "offline"
    claims = False

    async def answer(self, prompt: Prompt, incoming: Incoming, memory: MemoryClient) -> AsyncIterator[str | Answer]:
        """One piece. Raises what the memory raises: there is nobody else to ask."""
        yield await self._said(incoming, memory)

    async def _said(self, incoming: Incoming, memory: MemoryClient) -> str:
        place = c.GetProfileArgs(chat_id=incoming.chat_id)
        match wish(incoming.text):
            case "about_me":
                return about(await memory.get_profile(place))
            case "goals":
                return _listed("goals", (await memory.get_profile(place)).goals)
            case "dates":
                return _listed("dates", (await memory.get_profile(place)).dates)
            case "recap":
                return recap(await memory.summarize_chat(c.SummarizeChatArgs(chat_id=incoming.chat_id)))
            case "greeting":
                return f"Hello{', ' + incoming.user_name if incoming.user_name else ''}. {NO_MODEL}"
            case "thanks":
                return "You're welcome."
            case "statement":
                return f"{_NOTED}“{_short(incoming.text, 160)}”"
            case "answer":
                return from_memory(await self._found(incoming, memory), incoming)

    async def _found(self, incoming: Incoming, memory: MemoryClient) -> Sequence[c.SearchResult]:
        args = c.SearchMemoryArgs(query=incoming.text, chat_id=incoming.chat_id, limit=_FOUND)
        return (await memory.search_memory(args)).results


def from_memory(results: Sequence[c.SearchResult], incoming: Incoming) -> str:
    """The best two things found, quoted with their dates; never the question itself."""
    told = _distinct([r for r in results if not _is_echo(r, incoming)])
    if not told:
        return NOTHING
    asked = content_words(incoming.text)
    near = [r for r in told if asked & content_words(r.text)]
    first, *rest = near or told
    lines = [_quoted(first, incoming.text)]
    lines += [_quoted(r, incoming.text) for r in rest[:1] if near and r.score >= first.score / 2]
    return "\n".join(lines if near else [CLOSEST, *lines])


def about(profile: c.Profile) -> str:
    """What is known, grouped."""
    groups = {
        "Facts": profile.facts,
        "Preferences": profile.preferences,
        "Goals": profile.goals,
        "Dates": profile.dates,
    }
    lines = [f"{title}: " + "; ".join(m.content for m in entries) for title, entries in groups.items() if entries]
    return "\n".join([*([profile.narrative] if profile.narrative else []), *lines]) or "I know nothing about you yet."


def recap(summary: c.ChatSummary) -> str:
    """The talk in short: the canonical summary, else the newest chunk, else what was said just now."""
    periods = [f"{p.period}: {p.text}" for p in summary.periods[-2:]]
    parts = [summary.canonical.general_summary or "\n".join(periods), summary.current_session.text]
    return "\n".join(part for part in parts if part.strip()) or NOTHING


def _listed(title: str, entries: Sequence[c.Memory]) -> str:
    if not entries:
        return f"You have no {title} in my memory."
    return "\n".join([f"Your {title}:", *(f"• {m.content}" for m in entries)])


def _is_echo(result: c.SearchResult, incoming: Incoming) -> bool:
    """The question itself, an earlier question, or one of our own answers says nothing new."""
    if result.kind != "message":
        return False
    if result.role == "assistant":
        return bool(_OWN.match(result.text))
    return result.text.strip() == incoming.text.strip() or (is_question(result.text) and len(result.text) < 200)


def _distinct(results: Sequence[c.SearchResult]) -> list[c.SearchResult]:
    """A memory and the message it was learned from say the same: the better ranked one is kept."""
    kept: list[c.SearchResult] = []
    for result in results:
        text = _flat(result.text).casefold()
        if not any(text in _flat(k.text).casefold() or _flat(k.text).casefold() in text for k in kept):
            kept.append(result)
    return kept


def _quoted(result: c.SearchResult, question: str) -> str:
    return f"On {_day(result.at)} {_who(result)}: “{_short(best_sentences(result.text, question))}”"


def _who(result: c.SearchResult) -> str:
    if result.kind == "summary":
        return "we talked"
    if result.kind != "message":
        return "you told me"
    return f"{result.speaker or 'you'} said" if result.role == "user" else "I said"


def _day(at: datetime) -> str:
    return f"{at:%B} {at.day}, {at.year}"


def _short(text: str, longest: int = _LONGEST) -> str:
    flat = _flat(text)
    return flat if len(flat) <= longest else flat[: longest - 1] + "…"


def _flat(text: str) -> str:
    return " ".join(text.split())
