"""The state of one turn, such as its messages and its text so far. Decides which messages belong to the turn. No
I/O."""

import asyncio
from dataclasses import dataclass, field, replace

from tellonce_llm.errors import Cause
from tellonce_llm.model import File
from tellonce_relay.incoming_message import Incoming, is_split, together
from tellonce_relay.telegram.attachment_reader import UnusableAttachment
from tellonce_relay.turn.model_call import Progress
from tellonce_relay.updates.case import Case
from tellonce_text.sentences import ends_as_question

SPLIT_SECONDS = 0.5
"""Minimum seconds to wait for the next part of an album, or for the next part of a text that the sender's app has
split."""

MOST_PARTS = 30
_CLOCK_STEP = 1.0
"""Maximum error, in seconds, of the gap between two messages, because Telegram dates messages in whole seconds."""


@dataclass
class OpenTurn:
    """An open turn. `arrived` is the time, by the loop's clock, at which the turn's newest message was recorded. Once
    the turn is `closed`, no message can join it. `owed` is the reason why the model has not answered; it is set when
    the person is informed. `reworded` means that a message was edited after the model was asked for the owed answer."""

    cases: list[Case]
    arrived: float
    begun: bool = False
    closed: bool = False
    owed: Cause | None = None
    reworded: bool = False
    stopped: bool = False
    progress: Progress = field(default_factory=Progress)
    files: dict[int, tuple[File, ...]] = field(default_factory=dict)
    problems: list[UnusableAttachment] = field(default_factory=list)
    interrupted: asyncio.Event = field(default_factory=asyncio.Event)
    finished: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def head(self) -> Case:
        """The first message, to which the answer belongs."""
        return self.cases[0]

    @property
    def incoming(self) -> Incoming:
        """One message that contains all messages of the turn."""
        return together([replace(case.incoming, files=self.files.get(case.update_id, ())) for case in self.cases])

    @property
    def is_wordless(self) -> bool:
        """Whether the turn contains nothing to answer: no text, no readable file and no transcript."""
        return not any(
            case.message.text or case.message.caption or case.entry.transcript or self.files.get(case.update_id)
            for case in self.cases
        )

    @property
    def goes_on(self) -> bool:
        """Whether another message is expected, because this one is part of an album or of a text that an app split."""
        newest = self.cases[-1]
        return newest.message.media_group_id is not None or is_split(newest.incoming.text)

    def breath(self, seconds: float) -> float:
        """Seconds after the newest message during which a further message still belongs to the turn."""
        return max(seconds, SPLIT_SECONDS) if self.goes_on else seconds

    def hold(self, seconds: float) -> float:
        """Seconds after the newest message before the answer is shown. A single question has no wait."""
        if len(self.cases) == 1 and not self.goes_on and ends_as_question(self.head.incoming.text):
            return 0.0
        return self.breath(seconds)

    def takes(self, case: Case, arrived: float, breath: float) -> bool:
        """Whether a message directly follows the turn's newest one and comes from the same person."""
        newest = self.cases[-1]
        album = newest.message.media_group_id
        breath = self.breath(breath)
        apart = (case.message.date - newest.message.date).total_seconds()
        return (
            not (self.closed or self.owed)
            and len(self.cases) < MOST_PARTS
            and breath > 0
            and (arrived - self.arrived <= breath or (album is not None and album == case.message.media_group_id))
            and 0 <= apart <= breath + _CLOCK_STEP
            and case.message.from_user == newest.message.from_user
            and case.incoming.reply_to_message_id == newest.incoming.reply_to_message_id
        )

    def join(self, case: Case, arrived: float) -> None:
        """Add this message to the turn. If the model is being asked, it is asked again with all messages."""
        case.entry.part_of = self.head.update_id
        self.cases.append(case)
        self.arrived = arrived
        if self.begun:
            self.interrupted.set()

    def stop(self) -> None:
        """End the answer with the text that it has now."""
        self.stopped = True
        self.interrupted.set()
