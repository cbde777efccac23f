"""Shows a turn in a Telegram chat: the typing indicator, an edited draft, and the final messages."""

import asyncio
import logging
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace

from telegram.error import TelegramError

from tellonce_relay.telegram.markdown import MESSAGE_UNITS, Marked, rendered, split_marked, units
from tellonce_relay.telegram.message_sender import (
    AboutTo,
    Address,
    AnswerLost,
    Markup,
    MessageSender,
    NotSent,
    SlowDown,
    error_text,
    record_nothing,
)
from tellonce_relay.turn.turn import NotShown

logger = logging.getLogger(__name__)

EDIT_SECONDS, GROUP_EDIT_SECONDS = 1.0, 4.0
"""Seconds before the first draft and between two drafts. A quick answer needs no draft, and Telegram throttles frequent
edits. A group allows 20 messages per minute including edits, so frequent drafts would delay the end of the answer."""

_SOON = 0.05
"""Minimum number of seconds between two checks whether a draft may be sent."""

DRAFT_SECONDS = 20.0
"""Seconds after which an unchanged draft is sent again. Telegram's own drafts disappear after thirty seconds."""

TYPING_AFTER, TYPING_SECONDS = 0.2, 4.5
"""Seconds after which the typing indicator is sent, and the interval at which it is sent again. A quick answer needs no
indicator, and the indicator would delay the answer. Telegram shows the indicator for five seconds."""

Part = tuple[Marked, Markup | None]
"""The text of one message, and its buttons."""

UNKNOWN = 0
"""Used as the number of a sent message if the real number is unknown."""


@dataclass
class Delivery:
    """How much of an answer was delivered.

    `numbers` are the ids of the answer's final messages so far; `draft` is the id of the draft message. While a message
    is being sent, `after` is the highest id among the earlier messages. If this message is a draft, `sketch` is its
    text. `begun` is the text of the first message if the rest goes into further messages.
    """

    numbers: list[int] = field(default_factory=list)
    draft: int | None = None
    after: int | None = None
    sketch: str = ""
    begun: str = ""


class ChatSurface:
    """Delivers one answer to a chat. `external_id` converts a message number to the memory's id; `draft_id` identifies
    the answer's draft.

    `keep` stores `delivery`. `keep` is called before a message is sent and after it was sent.
    """

    def __init__(
        self,
        sender: MessageSender,
        to: Address,
        *,
        external_id: Callable[[int], str] = str,
        delivery: Delivery | None = None,
        draft_id: int = 0,
        keep: Callable[[], None] = lambda: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._sender = sender
        self._to = to
        self._external_id = external_id
        self._delivery = delivery or Delivery()
        self._draft_id = draft_id
        self._drafted = ""
        self._keep = keep
        self._clock = clock
        self._typing: asyncio.Task[None] | None = None
        self._drafting: asyncio.Task[None] | None = None
        self._undrafted = ""
        self._waiting: asyncio.Task[None] | None = None
        self._pace = EDIT_SECONDS if to.chat_id > 0 else GROUP_EDIT_SECONDS
        self._next_draft = clock() + self._pace

    def quote(self, number: int) -> None:
        """Send a late answer as a reply to the message `number`, because other messages may be between the two."""
        self._to = replace(self._to, reply_to=self._to.reply_to or number)

    async def typing(self) -> None:
        """Show the typing indicator in the background until `send` or `close`."""
        if self._typing is None:
            self._typing = asyncio.create_task(self._keep_typing())

    async def show_partial(self, text: str) -> None:
        """Show a draft in the background. A text that comes too early is shown later."""
        text = text.removeprefix(self._delivery.begun).strip() if self._delivery.begun else text
        if not text or units(text) > MESSAGE_UNITS:
            return
        self._undrafted = text
        if not self._may_draft():
            self._waiting = self._waiting or asyncio.create_task(self._draft_later())
        else:
            self._begin_draft()

    def _may_draft(self) -> bool:
        drafting = self._drafting is not None and not self._drafting.done()
        return not drafting and self._clock() >= self._next_draft

    def _begin_draft(self) -> None:
        text, self._undrafted = self._undrafted, ""
        self._next_draft = self._clock() + self._pace
        self._drafting = asyncio.create_task(self._show_draft(text))

    async def _draft_later(self) -> None:
        while self._undrafted:
            if self._may_draft():
                self._begin_draft()
            await asyncio.sleep(max(_SOON, self._next_draft - self._clock()))
        self._waiting = None

    async def send(self, text: str) -> list[str]:
        """Send the whole text in as many messages as needed; the draft becomes the first. Raises NotShown."""
        self._undrafted = ""
        if self._drafting is not None:
            await asyncio.wait({self._drafting})
        await self.close()
        await self._send_beginning()
        numbers = self._delivery.numbers
        try:
            await self._deliver(self._parts(text))
        except NotShown as error:
            if not numbers:
                raise
            # The person has seen the beginning, so the answer counts as delivered.
            logger.warning("only the beginning of an answer was sent: %s", error)
        return [self._external_id(n) if n != UNKNOWN else f"lost:{secrets.token_hex(8)}" for n in numbers]

    async def keep_partial(self, text: str) -> None:
        """Turn the partial answer into a permanent message, before `send`. Raises NotShown."""
        self._undrafted = ""
        if self._drafting is not None:
            await asyncio.wait({self._drafting})
        if text and not self._delivery.numbers:
            self._delivery.begun = text
            self._keep()
        await self._send_beginning()

    async def _send_beginning(self) -> None:
        await self._deliver(_parts(self._delivery.begun) if self._delivery.begun else [])

    async def _deliver(self, parts: list[Part]) -> None:
        for part in parts[len(self._delivery.numbers) :]:
            self._delivery.numbers.append(await self._send_next(*part))
            self._arrived()

    async def say(self, text: str, markup: Markup | None = None) -> None:
        """Send a text with buttons, separate from the answer. Raises NotShown."""
        for part, buttons in _text_parts(text, markup):
            await self._send_one(part, buttons)

    async def say_once(self, text: str, markup: Markup | None = None) -> None:
        """Send a text as `say` does, but only the parts that this surface has not delivered yet. Raises NotShown."""
        await self._deliver(_text_parts(text, markup))

    async def settle_said(self, text: str, markup: Markup | None = None) -> None:
        """Like `settle`, but for a text of `say_once`. Raises NotShown."""
        if self._delivery.after is not None:
            await self._look_for(*_text_parts(text, markup)[len(self._delivery.numbers)], self._delivery.after)

    async def settle(self, text: str | None) -> None:
        """After a restart, find out whether the last message arrived, before others are sent. Raises NotShown."""
        d = self._delivery
        if d.after is None:
            return
        known = text is not None or d.begun
        sought = self._parts(text or "")[len(d.numbers)] if known and not d.sketch else (rendered(d.sketch), None)
        await self._look_for(*sought, d.after)

    async def _look_for(self, what: Marked, markup: Markup | None, after: int) -> None:
        d = self._delivery
        await self._sender.settled()
        try:
            number = await self._sender.find(self._to.chat_id, what, after, markup)
        except TelegramError as error:
            raise NotShown(error_text(error)) from error
        if d.sketch:
            d.draft = number
        elif number is not None:
            d.numbers.append(number)
        self._arrived()

    def _parts(self, text: str) -> list[Part]:
        """The beginning of an interrupted answer stays in its own messages."""
        begun = self._delivery.begun
        rest = text.removeprefix(begun)
        return [*(_parts(begun) if begun else ()), *(_parts(rest) if rest.strip() or not begun else ())]

    async def close(self) -> None:
        """Stop the typing indicator and drop a pending draft."""
        for task in (self._typing, self._drafting, self._waiting):
            if task is not None:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
        self._typing = self._drafting = self._waiting = None

    async def _send_next(self, part: Marked, markup: Markup | None) -> int:
        """Send one part, or turn the draft into it. Raises NotShown."""
        draft, self._delivery.draft = self._delivery.draft, None
        if draft is not None:
            try:
                await self._sender.edit(self._to.chat_id, draft, part)
            except NotSent as error:
                logger.info("the draft could not be turned into the answer, which is sent as a new message: %s", error)
            else:
                return draft
        return await self._send_one(part, markup, self._about_to)

    async def _send_one(self, part: Marked, markup: Markup | None, about_to: AboutTo = record_nothing) -> int:
        try:
            return await self._sender.send(self._to, part, markup, about_to)
        except AnswerLost as error:
            logger.warning("it is unknown whether a message was delivered, so it is not sent again: %s", error)
            return UNKNOWN
        except NotSent as error:
            raise NotShown(str(error)) from error

    async def _show_draft(self, text: str) -> None:
        draft = self._delivery.draft
        try:
            if draft is None and await self._sender.draft(self._to, self._draft_id, rendered(text)):
                self._drafted = text
            elif draft is None:
                self._delivery.sketch = text
                self._delivery.draft = await self._sender.begin(self._to, rendered(text), self._about_to)
            else:
                await self._sender.change(self._to, draft, rendered(text))
        except SlowDown as refusal:
            self._next_draft = self._clock() + refusal.seconds
        except (AnswerLost, NotSent) as error:
            logger.info("a draft was not shown: %s", error)
        if draft is None and self._delivery.sketch:
            self._arrived()

    def _about_to(self, after: int | None) -> None:
        self._delivery.after = after
        self._keep()

    def _arrived(self) -> None:
        self._delivery.after, self._delivery.sketch = None, ""
        self._keep()

    async def _keep_typing(self) -> None:
        shown_at = self._clock()
        await asyncio.sleep(TYPING_AFTER)
        while True:
            await self._sender.typing(self._to)
            await asyncio.sleep(TYPING_SECONDS)
            if self._drafted and self._clock() - shown_at > DRAFT_SECONDS:
                shown_at = self._clock()
                await self._show_draft(self._drafted)


def _text_parts(text: str, markup: Markup | None) -> list[Part]:
    """The messages of a text that is separate from the answer. The last message has the buttons."""
    *first, last = split_marked(Marked(text))
    return [*((part, None) for part in first), (last, markup)]


def _parts(text: str) -> list[Part]:
    return [(part, None) for part in split_marked(rendered(text)) or [Marked("…")]]
