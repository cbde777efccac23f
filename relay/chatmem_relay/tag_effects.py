"""Carries out the tags of an answer; one that fails costs only itself."""

import logging
from dataclasses import dataclass
from typing import Any

from chatmem import contract as c
from chatmem.client import MemoryClient, MemoryRefused, MemoryUnreachable
from chatmem_relay.incoming import Incoming
from chatmem_relay.memory_outage import patiently
from chatmem_relay.tags import Tag

logger = logging.getLogger(__name__)

MOST = 10
"""Tags of one answer that are carried out: more is a model gone astray."""


@dataclass(frozen=True)
class Done:
    """`refused`: the memory would not have it (it states nothing); `unsaved`: the memory was away."""

    applied: int = 0
    refused: int = 0
    unsaved: int = 0

    def counts(self) -> dict[str, int]:
        return {"applied": self.applied, "refused": self.refused, "unsaved": self.unsaved}


async def apply(memory: MemoryClient, incoming: Incoming, tags: tuple[Tag, ...], patience: float) -> Done:
    """Carry them out in order, at most `MOST`; `patience`: seconds to wait for a memory that is away."""
    outcomes = [await _outcome(memory, incoming, tag, patience) for tag in tags[:MOST]]
    return Done(outcomes.count("applied"), outcomes.count("refused"), outcomes.count("unsaved"))


async def _outcome(memory: MemoryClient, incoming: Incoming, tag: Tag, patience: float) -> str:
    try:
        if tag.kind == "done":
            await _complete(memory, incoming, tag.text, patience)
        else:
            await patiently(lambda: memory.remember(_statement(incoming, tag)), patience)
    except MemoryRefused as error:
        logger.warning("tag %s was refused: %s", tag.kind, error)
        return "refused"
    except MemoryUnreachable as error:
        logger.warning("tag %s was not carried out: %s", tag.kind, error)
        return "unsaved"
    return "applied"


def _statement(incoming: Incoming, tag: Tag) -> c.RememberArgs:
    text = f"{tag.text} (by {tag.deadline})" if tag.deadline else tag.text
    args: dict[str, Any] = {"content": text, "chat_id": incoming.chat_id, "source_message_id": incoming.message_id}
    args |= {"kind": "goal"} if tag.kind == "goal" else {}
    args |= {"scope": "global" if tag.kind == "remember_global" else "chat"}
    return c.RememberArgs.model_validate(args)


async def _complete(memory: MemoryClient, incoming: Incoming, topic: str, patience: float) -> None:
    """The goal that fits best is done. None fits: the model meant something that is no goal of ours."""
    wanted = c.SearchMemoryArgs(query=topic, chat_id=incoming.chat_id, kinds=("goal",), limit=5)
    found = await patiently(lambda: memory.search_memory(wanted), patience)
    goal = _best(topic, found.results)
    if goal is None:
        raise MemoryRefused(f"no active goal matches {topic!r}")
    args = c.UpdateMemoryArgs(memory_id=goal.id, action="complete", chat_id=incoming.chat_id)
    await patiently(lambda: memory.update_memory(args), patience)


def _best(topic: str, goals: tuple[c.SearchResult, ...]) -> c.SearchResult | None:
    """The first that shares a word with the topic: completing another goal would be worse than completing none."""
    words = _words(topic)
    return next((goal for goal in goals if words & _words(goal.text)), None)


def _words(text: str) -> set[str]:
    """Word beginnings; of scripts that write words together, pairs of characters."""
    words = "".join(ch if ch.isalnum() else " " for ch in text.casefold()).split()
    plain = {word[:6] for word in words if word.isascii() and len(word) > 2}
    return plain | {word[i : i + 2] for word in words if not word.isascii() for i in range(len(word) - 1)}
