"""Gives the connected assistant the exchanges that no model has read, and then marks them as read."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from tellonce.contract_types import LEARNED_KINDS
from tellonce.work import KnownMemory
from tellonce_server.core.scope import ChatScope
from tellonce_server.domain.dependencies import Dependencies
from tellonce_server.domain.memory import statements
from tellonce_server.domain.memory.extraction_results import is_evidence
from tellonce_server.domain.queue.exchange_job import known_about
from tellonce_server.store import memories, messages, queue
from tellonce_server.store.database import Queries
from tellonce_server.store.messages import Line
from tellonce_server.store.queue import Job
from tellonce_text.dates.clock import local
from tellonce_text.fences import contained
from tellonce_text.secrets import mask
from tellonce_text.tokens import head_and_tail

AT_ONCE: Final = 10
"""Maximum number of exchanges in one call."""

HELD: Final = timedelta(hours=1)
"""Time for the assistant to report what it learned, from the moment it gets the exchanges."""

MOST_LINES: Final = 40


class UnreadExchanges:
    def __init__(self, deps: Dependencies) -> None:
        self._deps = deps

    async def prompt(self, scope: ChatScope) -> str:
        """Instructions for the assistant and the newest unread exchanges. Each call hands out different ones."""
        database, now = self._deps.database, self._deps.now()
        jobs = await queue.hand_out(database, *scope.key, now, AT_ONCE, now - HELD)
        parts = sorted([await _lines(database, job) for job in jobs], key=lambda lines: [line.id for line in lines])
        said = [mask(line.content) for part in parts for line in part if line.role == "user"]
        known = await known_about(self._deps, *scope.key, said)
        return learning_prompt(parts, known, self._deps.zone)


async def take_over(
    t: Queries, scope: ChatScope, borne_out: frozenset[int], sources: Sequence[int], now: datetime
) -> None:
    """Mark exchanges as read by the assistant. These exchanges were given to it recently, or contain a message of
    `sources`. End the notes from these exchanges, except the notes in `borne_out`. The assistant's statements repeat
    those notes."""
    for job in await queue.read_by_assistant(t, *scope.key, now - HELD, sources):
        own = [line.id for line in await _lines(t, job) if is_evidence(*scope.key, line)]
        notes = await memories.read_by(t, *scope.key, own, ("keep",))
        former = [note for note in notes if note.id not in borne_out]
        await statements.take_back(t, scope.owner_id, former, "assistant", now)


async def _lines(q: Queries, job: Job) -> list[Line]:
    key = job.key
    return await messages.id_range(q, *key.chat, job.thread_key, job.from_id, job.to_id, MOST_LINES)


CHARACTERS = 4_000
"""Maximum characters of one message in the prompt."""

NOTHING = "There is no talk that waits to be read: tell me so, and call nothing."

INSTRUCTIONS = f"""\
Below is talk of mine that no model has read for my memory yet. Read it, then call remember once, with a list of \
statements; if nothing in it lasts, call nothing and tell me so.

For each statement give:
- content: one sentence in the third person that names its subject, in the language I used ("The user works as a nurse"; \
"Ann is the user's sister"). What I said of somebody else is about them, not about me.
- kind: {", ".join(LEARNED_KINDS[:-1])} or {LEARNED_KINDS[-1]}; deadline for a goal or a date that has one.
- quote: my own words that say it, copied exactly; source_message_id: the number in brackets.
- replaces: the numbers under KNOWN that this statement makes untrue. Changes and endings come first.
- scope: chat only for what matters in this one chat; otherwise leave it out.

Keep what will still matter in a month: who I am, whom I know, what I do, like, plan and decided. Leave out jokes, \
hypotheses, questions, roles we play, pasted texts, what the assistant said, and what KNOWN already says.
A word such as "tomorrow" means a day: write the date."""


def learning_prompt(parts: Sequence[Sequence[Line]], known: Sequence[KnownMemory], zone: ZoneInfo) -> str:
    """The instructions, the memories that the assistant may change, and the exchanges, oldest first."""
    if not any(parts):
        return NOTHING
    memories_shown = [contained(f"#{m.id} ({m.since.astimezone(zone):%Y-%m-%d}): {_text(m)}") for m in known]
    said = ["\n".join(_line(line, zone) for line in part) for part in parts if part]
    return "\n\n".join([INSTRUCTIONS, "\n".join(["KNOWN", *(memories_shown or ["nothing yet"])]), "TALK", *said])


def _text(m: KnownMemory) -> str:
    text = f"“{m.text}”" if m.note else m.text
    return f"I said that this is not so: {text}" if m.status == "rejected" else text


def _line(line: Line, zone: ZoneInfo) -> str:
    who = line.speaker or ("me" if line.role == "user" else "assistant")
    clipped = head_and_tail(mask(line.content), CHARACTERS)
    return contained(f"[{line.id}] {who}, {local(line.sent_at, zone):%a %Y-%m-%d %H:%M}: {clipped}")
