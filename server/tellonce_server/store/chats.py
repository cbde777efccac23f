"""Chats, their epochs and their canonical summaries."""

from dataclasses import dataclass
from datetime import datetime

from tellonce.work import Canonical
from tellonce_server.core.scope import ChatId, OwnerId
from tellonce_server.store.database import Queries
from tellonce_server.store.named_queries import MaybeRow, Rows, Run, named
from tellonce_server.store.queue import Job


@dataclass(frozen=True)
class Chat:
    """A chat with its canonical summary. `*_calls` count calls of paid models. A chat may use `exchanges` calls for
    summaries, and as many for second readings. `epoch_after` is the last message before the current epoch."""

    chat_id: int
    channel: str
    conversation: str | None
    epoch_after: int
    exchanges: int
    summary_calls: int
    second_calls: int
    user_confirmed: str
    llm_inferred: str
    general_summary: str
    tokens: int
    version: int

    @property
    def canonical(self) -> Canonical:
        return Canonical(
            user_confirmed=self.user_confirmed, llm_inferred=self.llm_inferred, general_summary=self.general_summary
        )


@dataclass(frozen=True)
class ChatEntry:
    chat_id: int
    channel: str
    conversation: str | None
    last_id: int
    created_at: datetime


find = MaybeRow[[OwnerId, ChatId], Chat]("chats.find", named(Chat))
open_chat = Run[[OwnerId, ChatId, str, str | None, datetime]]("chats.open")
of_owner = Rows[[OwnerId], ChatEntry]("chats.of_owner", named(ChatEntry))


async def set_canonical(q: Queries, job: Job, text: Canonical, tokens: int, now: datetime) -> None:
    """Store the canonical summary up to the job's last message, unless a new epoch has begun after it."""
    parts = (text.user_confirmed, text.llm_inferred, text.general_summary, tokens)
    await q.run("chats.set_canonical", *job.key.chat, *parts, job.model or "", job.provisional, now, job.to_id)


new_epoch = MaybeRow[[OwnerId, ChatId, datetime], tuple[int, bool]]("chats.new_epoch", tuple)
"""Start a new epoch. Returns its number and whether a summary was archived; None if the chat does not exist."""

lock = Run[[OwnerId, ChatId]]("chats.lock")


async def charge(q: Queries, owner_id: int, chat_id: int, *, learning: int, summary: int, second: int) -> None:
    await q.run("chats.charge", owner_id, chat_id, learning, summary, second)
