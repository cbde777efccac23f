"""The reminders of a kill run. People set them with a command or ask the model for them. Each reminder must be confirmed
once and delivered once, not before its time. One reminder repeats every minute.
"""

import re
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random
from typing import Final
from zoneinfo import ZoneInfo

from tellonce.reminders import SetReminderArgs
from tests.chain.product import Whole

SOONEST, LATEST = 1, 6
"""Minimum and maximum seconds from a request to the time of its reminder."""

_REPEATED: Final = "count the minutes"
_ORDERED: Final = re.compile(r"remind me at (\S+ \S+) to (ring bell-\d+-\d+)", re.IGNORECASE)
_CONFIRMED: Final = re.compile(r"⏰ I'll remind you .*: ring (bell-\d+-\d+)")
_RANG: Final = re.compile(r"⏰ ring (bell-\d+-\d+)")


@dataclass
class Bells:
    """The reminders that were requested. The dictionary `moments` maps the name of each reminder to its due time
    (monotonic clock). `first` is the first due time of the repeating reminder."""

    moments: dict[str, float] = field(default_factory=dict)
    first: datetime | None = None

    def order(self, life: Whole, thread: int, rng: Random) -> str:
        """The words of a new request, such as `remind me at 2026-11-22 14:03:20 to ring bell-0-3`."""
        bell = f"bell-{thread}-{len(self.moments)}"
        now = datetime.now(ZoneInfo(life.environment["USER_TIMEZONE"]))
        at = now.replace(microsecond=0) + timedelta(seconds=rng.randint(SOONEST, LATEST))
        self.moments[bell] = time.monotonic() + (at - now).total_seconds()
        return f"remind me at {at:%Y-%m-%d %H:%M:%S} to ring {bell}"

    async def repeat(self, life: Whole, user: int) -> None:
        """Set the reminder that repeats every minute."""
        now = datetime.now(ZoneInfo(life.environment["USER_TIMEZONE"]))
        self.first = now.replace(second=0, microsecond=0) + timedelta(minutes=1)
        args = {
            "content": _REPEATED,
            "at": self.first,
            "repeats": "* * * * *",
            "words": "every minute",
            "chat_id": user,
        }
        async with life.client() as client:
            await client.set_reminder(SetReminderArgs.model_validate(args))

    async def rung(self, life: Whole) -> None:
        """Wait until every reminder was delivered."""
        left = "select count(*) from reminders where done_at is null and (repeats is null or due_at <= now())"

        async def none_left() -> bool:
            known: int = await life.value("select count(*) from reminders where repeats is null")
            return known >= len(self.moments) and await life.value(left) == 0

        await life.until(none_left)

    async def faults(self, life: Whole) -> list[str]:
        """A sentence for each fault. Each reminder must be confirmed exactly once, delivered exactly once, and not
        delivered too early."""
        texts = [message["text"] for message in life.telegram.sent]
        confirmed = Counter(found[1] for text in texts if (found := _CONFIRMED.match(text)))
        rang = Counter(found[1] for text in texts if (found := _RANG.match(text)))
        early = {bell for bell, at in _rings(life) if at < self.moments[bell]}
        return [
            *(f"{bell} was confirmed {confirmed[bell]} times" for bell in self.moments if confirmed[bell] != 1),
            *(f"{bell} rang {rang[bell]} times" for bell in self.moments if rang[bell] != 1),
            *(f"{bell} rang too early" for bell in sorted(early)),
            *await self._repeating_faults(life, sum(text.startswith(f"⏰ {_REPEATED}") for text in texts)),
        ]

    async def _repeating_faults(self, life: Whole, rang: int) -> list[str]:
        if self.first is None:
            return []
        due = await life.value("select due_at from reminders where repeats is not null")
        minutes = round((due - self.first).total_seconds() / 60)
        return [f"the repeating reminder rang {rang} times in {minutes} minutes"] if rang != minutes else []


def tag_of(words: str) -> str:
    """The tag with which a model sets the reminder that is requested in `words`. The tag is empty if no reminder is
    requested."""
    found = _ORDERED.search(words)
    return f"\n[REMIND: {found[2]} | AT: {found[1]}]" if found else ""


def is_of_bell(text: str) -> bool:
    return text.startswith("⏰")


def _rings(life: Whole) -> Iterator[tuple[str, float]]:
    """The attempts to deliver reminders: for each attempt, the reminder's name and the time."""
    for call in life.telegram.calls:
        found = _RANG.match(str(call.arguments.get("text", ""))) if call.method == "sendMessage" else None
        if found:
            yield found[1], call.at
