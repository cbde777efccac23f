"""Drafts of an answer are shown as often as Telegram allows without delaying the answer."""

import asyncio
from typing import cast

import anyio
import pytest

from tellonce_relay.telegram.chat_surface import ChatSurface
from tellonce_relay.telegram.markdown import Marked
from tellonce_relay.telegram.message_sender import AboutTo, Address, MessageSender
from tests.patience import HANGS

pytestmark = pytest.mark.anyio


class Counting:
    """A sender that counts drafts."""

    drafts = 0

    async def draft(self, to: Address, draft_id: int, what: Marked) -> bool:
        self.drafts += to.chat_id > 0
        return to.chat_id > 0

    async def begin(self, to: Address, what: Marked, about_to: AboutTo) -> int:
        self.drafts += 1
        return 1

    async def change(self, to: Address, number: int, what: Marked) -> None:
        self.drafts += 1


@pytest.mark.parametrize(("chat", "fewest", "most"), [(42, 55, 60), (-100, 12, 19)])
async def test_a_minute_of_drafts_in_a_group_leaves_room_for_the_answer(chat: int, fewest: int, most: int) -> None:
    sender, seconds = Counting(), 0.0
    surface = ChatSurface(cast("MessageSender", sender), Address(chat), clock=lambda: seconds)
    while seconds < 60:
        seconds += 0.25
        await surface.show_partial(f"after {seconds} seconds")
        # A separate task shows the draft.
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    assert fewest <= sender.drafts <= most


@pytest.mark.parametrize("pieces", [["It is"], ["It is", "It is the 4th"], ["It", "It is", "It is the 4th of March"]])
async def test_text_of_an_answer_that_stalls_is_shown_although_no_more_text_comes(pieces: list[str]) -> None:
    sender, shown, came = Counting(), list[str](), asyncio.Event()

    async def draft(to: Address, draft_id: int, what: Marked) -> bool:
        shown.append(what.text)
        came.set()
        return True

    sender.draft = draft  # type: ignore[method-assign] # records the texts
    seconds = 0.0
    surface = ChatSurface(cast("MessageSender", sender), Address(42), clock=lambda: seconds)
    surface._next_draft = 0.1
    for piece in pieces:
        await surface.show_partial(piece)
    assert shown == []
    seconds = 1.0
    with anyio.fail_after(HANGS):
        await came.wait()
    await surface.close()
    assert shown == [pieces[-1]]


async def test_after_the_answer_is_stopped_no_text_of_it_is_drafted() -> None:
    sender = Counting()
    surface = ChatSurface(cast("MessageSender", sender), Address(42))
    surface._next_draft = surface._clock() + 0.05
    await surface.show_partial("It is")
    await surface.close()
    await asyncio.sleep(0.2)
    assert sender.drafts == 0
