"""A Telegram chat as the turn's surface: typing, a streamed draft that is edited, and the final messages."""

import asyncio
import logging
import secrets
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Protocol

from chatmem_relay.markdown import Marked, rendered, units
from chatmem_relay.outbox import Address, AnswerLost, Markup, NotSent, Outbox, SlowDown
from chatmem_relay.split import LONGEST, split
from chatmem_relay.turn import NotShown

logger = logging.getLogger(__name__)

EDIT_SECONDS = 1.0
"""Before the first draft and between two edits of it: a quick answer needs none, and Telegram slows down who hurries."""

TYPING_SECONDS = 4.5
"""Telegram shows that we type for five seconds."""


DRAFT_SECONDS = 5.0
"""How long a finished answer waits for a draft on its way."""


class Delivery(Protocol):
    """Hears how far an answer got, so that a kill in between is understood afterwards."""

    def sending(self) -> None: ...

    def sent(self, ids: Sequence[str], text: str) -> None: ...


class ChatSurface:
    """One answer's way to a chat. `external_id` makes the memory's id of a message number."""

    def __init__(
        self,
        outbox: Outbox,
        to: Address,
        *,
        external_id: Callable[[int], str] = str,
        delivery: Delivery | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._outbox = outbox
        self._to = to
        self._external_id = external_id
        self._delivery = delivery
        self._clock = clock
        self._typing: asyncio.Task[None] | None = None
        self._drafting: asyncio.Task[None] | None = None
        self._draft: int | None = None
        self._no_drafts = False
        self._next_draft = clock() + EDIT_SECONDS

    @property
    def to(self) -> Address:
        return self._to

    async def typing(self) -> None:
        """Until `send` or `close`; costs the turn no time."""
        if self._typing is None:
            self._typing = asyncio.create_task(self._keep_typing())

    async def show_partial(self, text: str) -> None:
        """In the background: a draft that fails costs nothing, the whole answer is still to come."""
        drafting = self._drafting is not None and not self._drafting.done()
        if not text or drafting or self._no_drafts or self._clock() < self._next_draft or units(text) > LONGEST:
            return
        self._next_draft = self._clock() + EDIT_SECONDS
        self._drafting = asyncio.create_task(self._sketch(text))

    async def send(self, text: str) -> list[str]:
        """The whole text, in as many messages as it takes; the draft becomes the first of them. Raises NotShown."""
        await self.close()
        delivery, self._delivery = self._delivery, None
        if delivery is not None:
            delivery.sending()
        ids = await self._deliver(split(rendered(text)) or [Marked("…")])
        if delivery is not None:
            delivery.sent(ids, text)
        return ids

    async def say(self, text: str, markup: Markup | None = None) -> int | None:
        """A text as it stands, with buttons; its number where it is known. Raises NotShown."""
        parts = split(Marked(text))
        for part in parts[:-1]:
            await self._one(part, None)
        return await self._one(parts[-1], markup)

    async def close(self) -> None:
        """Stop typing, and let a draft under way arrive."""
        typing, self._typing = self._typing, None
        if typing is not None:
            typing.cancel()
            with suppress(asyncio.CancelledError):
                await typing
        if self._drafting is not None:
            await asyncio.wait({self._drafting}, timeout=DRAFT_SECONDS)

    async def _deliver(self, parts: list[Marked]) -> list[str]:
        first, *rest = parts
        numbers = [await self._first(first)]
        for part in rest:
            try:
                numbers.append(await self._one(part, None))
            except NotShown as error:
                # The person has the beginning: the answer counts as given.
                logger.warning("the rest of an answer was not sent: %s", error)
                break
        return [self._external_id(n) if n is not None else f"lost:{secrets.token_hex(8)}" for n in numbers]

    async def _first(self, part: Marked) -> int | None:
        draft, self._draft = self._draft, None
        if draft is None:
            return await self._one(part, None)
        try:
            await self._outbox.edit(self._to.chat_id, draft, part)
        except NotSent as error:
            logger.info("the draft could not be finished and is sent anew: %s", error)
            return await self._one(part, None)
        return draft

    async def _one(self, part: Marked, markup: Markup | None) -> int | None:
        try:
            return await self._outbox.send(self._to, part, markup)
        except AnswerLost as error:
            logger.warning("nobody knows whether a message arrived; it is not sent twice: %s", error)
            return None
        except NotSent as error:
            raise NotShown(str(error)) from error

    async def _sketch(self, text: str) -> None:
        try:
            self._draft = await self._outbox.sketch(self._to, rendered(text), self._draft)
        except SlowDown as refusal:
            self._next_draft = self._clock() + refusal.seconds
        except AnswerLost:
            # A draft may stand there that we cannot change: no second one.
            self._no_drafts = self._draft is None
        except NotSent as error:
            logger.info("a draft was not shown: %s", error)

    async def _keep_typing(self) -> None:
        while True:
            await self._outbox.typing(self._to)
            await asyncio.sleep(TYPING_SECONDS)
