"""The contract of the reminder tools. A reminder is a dated memory with an alarm."""

from typing import Annotated, Literal

from pydantic import AwareDatetime, Field

from tellonce.contract import Memory
from tellonce.contract_types import Bigint, Contract, ExternalId, Instant, Place, RowId, Text

Repetition = Annotated[str, Field(pattern=r"^(\S+( \S+){4}|R/\S+)( until \d{4}-\d\d-\d\dT\d\d:\d\d)?$", max_length=96)]
"""A cron expression of five fields, or a repeating interval of ISO 8601 such as `R/2026-02-16T08:00/P2D`. The weekday
of a cron expression may also be `1#2` (the second Monday of the month) or `5L` (the last Friday). After `until`, the
text can give the last possible time in the user's zone, as in `0 8 * * * until 2026-02-20T23:59`."""


class SetReminderArgs(Place):
    content: Annotated[Text, Field(max_length=2000, description="What to remind of.")]
    at: Instant = Field(description="When it is due first.")
    repeats: Repetition | None = Field(
        default=None,
        description="In the user's time zone, a cron expression or an interval such as R/2026-02-16T08:00/P2D.",
    )
    words: Annotated[Text, Field(max_length=200)] | None = Field(
        default=None, description="The time in the user's words; stored if it repeats."
    )
    source_message_id: ExternalId | None = None
    quote: Annotated[Text, Field(max_length=2000)] | None = Field(
        default=None,
        description="The user's words that ask for it; if given, this is a model's claim and is checked.",
    )


class Reminder(Contract):
    """A reminder. The reminder is delivered at `due_at` if its memory is active. If the memory is uncertain, the
    reminder waits for the user's confirmation."""

    memory: Memory
    chat_id: int
    message_thread_id: int | None
    due_at: AwareDatetime
    repeats: str | None
    reasons: tuple[str, ...] = Field(default=(), description="Why it is uncertain.")


class ListRemindersArgs(Place):
    pass


class Reminders(Contract):
    reminders: tuple[Reminder, ...]


class ChangeReminderArgs(Place):
    """Arguments of `change_reminder`. `restore` reverts a `cancel`. `move` sets another time, even after the
    delivery."""

    memory_id: RowId
    action: Literal["cancel", "restore", "move"]
    at: Instant | None = Field(default=None, description="For move.")


class ClaimRemindersArgs(Contract):
    worker: Annotated[
        Text, Field(max_length=64, description="Who delivers; after a crash, it gets its claimed reminders again.")
    ]


class ClaimedReminders(Contract):
    reminders: tuple[Reminder, ...]
    next_at: AwareDatetime | None = Field(description="When the next one is due.")


class FinishReminderArgs(Contract):
    chat_id: Bigint
    memory_id: RowId
    due_at: Instant = Field(description="The time it was due; each due time is finished once.")
    next_at: Instant | None = Field(default=None, description="When it is due next, if it repeats.")


class FinishedReminder(Contract):
    finished: bool = Field(description="False if it was already finished or no longer exists.")
