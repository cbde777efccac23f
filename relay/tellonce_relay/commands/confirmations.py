"""Asks about uncertain memories, few at a time and in private chats only, and reads corrections."""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta

from telegram import Message

from tellonce import contract as c
from tellonce.client import MemoryClient
from tellonce_relay import buttons, views
from tellonce_relay.buttons import Reply
from tellonce_relay.catalogue import phrase
from tellonce_relay.incoming_message import Incoming
from tellonce_relay.seen_store import SeenStore
from tellonce_relay.telegram.chat_surface import ChatSurface

AT_ONCE = 2
"""Maximum number of unanswered questions in a chat."""

PATIENCE = timedelta(days=7)
"""After this time, an unanswered question no longer counts as open; the question is not repeated."""

_ASSISTANT = "assistant"
"""The model name of statements that a connected assistant has sent. The assistant's real model is not known."""


class Confirmations:
    """Remembers the questions about uncertain memories that were already asked."""

    def __init__(self, seen_store: SeenStore, now: Callable[[], datetime]) -> None:
        self._asked = seen_store
        self._now = now

    def to_ask(self, chat_id: int, uncertain: Sequence[c.Memory]) -> list[c.Memory]:
        """The oldest memories that nobody was asked about, with at most `AT_ONCE` questions open at a time."""
        asked = {m.id: self._asked.get(_key(chat_id, m, self._now())) for m in uncertain}
        still_open = sum(when is not None and self._is_open(when) for when in asked.values())
        fresh = sorted((m for m in uncertain if asked[m.id] is None), key=lambda m: m.id)
        return fresh[: max(0, AT_ONCE - still_open)]

    def asked(self, chat_id: int, memory: c.Memory) -> None:
        self._asked.put(_key(chat_id, memory, self._now()), self._now().isoformat())

    def question(self, memory: c.Memory, known: c.Explanation | None = None) -> str:
        """The question about an uncertain memory, followed by the lines of `grounds`."""
        overdue = is_overdue(memory, self._now())
        asked = phrase(
            "memory.is_still_a_goal" if overdue else "memory.is_this_right", content=views.in_days(memory.content)
        )
        return "\n".join([asked, *(grounds(known) if known is not None and not overdue else ())])

    def _is_open(self, noted: str) -> bool:
        try:
            return self._now() - datetime.fromisoformat(noted) < PATIENCE
        except ValueError:  # a person may have edited the file
            return False


def grounds(known: c.Explanation) -> Iterator[str]:
    """A line that names the author of an uncertain memory, and a line that quotes the person's words for it."""
    words = list(known.quotes) or [source.text for source in known.sources if source.role == "user"]
    if known.model:
        who = phrase("memory.an_assistant") if known.model == _ASSISTANT else known.model
        yield phrase("memory.claimed_by" if words else "memory.claimed_without", who=who)
    if words:
        yield phrase("memory.your_words", quote=phrase("offline.quote", text=views.short(" … ".join(words))))


def is_overdue(memory: c.Memory, now: datetime) -> bool:
    """Whether the memory is a goal whose time has passed. The user is asked whether it still is a goal."""
    due = memory.when.end if memory.when is not None and memory.when.end is not None else memory.deadline
    return memory.kind == "goal" and due is not None and due < now


def _key(chat_id: int, memory: c.Memory, now: datetime) -> str:
    """An overdue goal gets a second name, because the bot asks a second question about it."""
    return f"{chat_id}:{memory.id}:overdue" if is_overdue(memory, now) else f"{chat_id}:{memory.id}"


async def ask_for_confirmations(
    memory: MemoryClient, surface: ChatSurface, chat_id: int, confirmations: Confirmations
) -> None:
    """Ask about uncertain memories. Raises MemoryUnreachable, MemoryRefused and NotShown."""
    if chat_id < 0:
        return
    profile = await memory.get_profile(c.GetProfileArgs(chat_id=chat_id, status="uncertain"))
    for uncertain in confirmations.to_ask(chat_id, profile.uncertain):
        # The question is stored as asked before it is sent. A kill between the two steps loses the question. This is
        # better than asking twice.
        confirmations.asked(chat_id, uncertain)
        known = await memory.explain(c.ExplainArgs(memory_id=uncertain.id, chat_id=chat_id))
        await surface.say(confirmations.question(uncertain, known), buttons.uncertain_buttons(uncertain.id))


_WORDING = re.compile(r"\A✎ .*#(\d{1,19})\Z", re.DOTALL)


def right_wording(text: str, memory_id: int) -> str:
    """The question that asks for the right wording of an uncertain memory."""
    return phrase("memory.wording", content=text, number=memory_id)


def reworded(message: Message, bot_id: int) -> int | None:
    """The number of the memory that this reply to `right_wording` corrects; None for other messages."""
    asked = message.reply_to_message
    if asked is None or asked.from_user is None or asked.from_user.id != bot_id or not message.text:
        return None
    found = _WORDING.match(asked.text or "")
    return int(found[1]) if found else None


async def reword(memory: MemoryClient, incoming: Incoming, memory_id: int) -> Reply:
    """Replace a memory's text. If it has changed since the question, show its present wording instead."""
    known = await memory.explain(c.ExplainArgs(memory_id=memory_id, chat_id=incoming.chat_id))
    if incoming.quoted and not incoming.edited and views.flat(known.text) not in views.flat(incoming.quoted):
        return Reply(right_wording(known.text, memory_id))
    args = c.UpdateMemoryArgs(memory_id=memory_id, action="edit", content=incoming.text, chat_id=incoming.chat_id)
    return Reply(views.remembered_view(await memory.update_memory(args)))
