"""The texts of routines without a model, and the list of routines."""

from datetime import datetime, timedelta
from unittest.mock import AsyncMock

import pytest

from tellonce_relay.catalogue import phrase
from tellonce_relay.commands.answers import CommandContext
from tellonce_relay.commands.menu import run
from tellonce_relay.incoming_message import Incoming
from tellonce_relay.responders.offline import OfflineResponder
from tellonce_relay.routines.built_in_routines import NothingToSend, morning, night
from tellonce_relay.routines.file import Routine
from tests.relay.contract_samples import SINGAPORE, memory, profile, summary
from tests.relay.running_relay import Scripted

SEVEN = datetime(2026, 2, 18, 7, tzinfo=SINGAPORE)


def test_the_morning_lists_the_dates_from_today_to_a_week_from_now_and_the_goals() -> None:
    dates = [
        memory("date", text, SEVEN + timedelta(hours=hours))
        for text, hours in (("dentist", -16), ("today's call", -7), ("the offsite", 100), ("the fair", 200))
    ]
    dates.append(memory("date", "call mom (2026-02-19 09:00)", SEVEN + timedelta(hours=26)))
    shown = morning(profile(dates=dates, goals=[memory("goal", "run a marathon")]), summary(), SEVEN)
    assert shown == (
        "This week:\n• Wed, Feb 18: today's call\n• Thu, Feb 19, 9:00 AM: call mom\n• Sun, Feb 22, 11:00 AM: the offsite\n\nYour goals:\n• run a marathon"
    )


def test_the_night_lists_what_was_told_and_the_open_goals() -> None:
    said = "hi · I moved to Rome · what's my locker code? · remind me at 9 to eat · Ann is ill"
    session = {"current_session": {**summary().current_session.model_dump(), "text": said}}
    shown = night(profile(goals=[memory("goal", "Run a marathon (by 2026-05-01)")]), summary(**session), SEVEN)
    assert shown == (
        "Today you told me:\n• I moved to Rome\n• Ann is ill\n\nStill open:\n• Run a marathon (by Fri, May 1, 2026)"
    )


def test_a_morning_with_nothing_known_is_silent() -> None:
    with pytest.raises(NothingToSend):
        morning(profile(), summary(), SEVEN)


@pytest.mark.anyio
async def test_the_list_says_which_routines_need_a_model_and_which_are_skipped_because_of_a_mistake() -> None:
    routines = (
        Routine(name="tea", cron="0 9 * * *", prompt="Ask about tea"),
        Routine(name="night-summary", cron="0 22 * * *"),
    )
    asked = Incoming(text="/routines", chat_id=42, message_id="1", sent_at=SEVEN, channel="telegram")
    shown: list[list[str]] = []
    for responder in (Scripted(), OfflineResponder()):
        context = CommandContext(AsyncMock(), responder, SINGAPORE, routines=routines, invalid_routines=("weekly",))
        answer = await run(context, asked, AsyncMock())
        assert answer is not None
        shown.append(answer.text.splitlines()[1:])
    at_ten, invalid = "• night-summary: next today at 10:00 PM", phrase("routine.invalid", name="weekly")
    assert shown == [
        ["• tea: next today at 9:00 AM", at_ten, invalid],
        ["• tea: needs a language model, and none is set up", at_ten, invalid],
    ]
