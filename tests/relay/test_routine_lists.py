"""The texts of routines without a model."""

from datetime import datetime, timedelta

import pytest

from tellonce_relay.routines.built_in import NothingToSend, morning, night
from tests.relay.known import SINGAPORE, memory, profile, summary

SEVEN = datetime(2026, 2, 18, 7, tzinfo=SINGAPORE)


def test_the_morning_lists_the_dates_from_today_to_a_week_from_now_and_the_goals() -> None:
    dates = [
        memory("date", text, SEVEN + timedelta(hours=hours))
        for text, hours in (("dentist", -16), ("today's call", -7), ("the offsite", 100), ("the fair", 200))
    ]
    dates.append(memory("date", "call mom (2026-02-19 09:00)", SEVEN + timedelta(hours=26)))
    shown = morning(profile(dates=dates, goals=[memory("goal", "run a marathon")]), summary(), SEVEN)
    assert shown == (
        "This week:\n• Wed, Feb 18: today's call\n• Thu, Feb 19, 9:00 AM: call mom\n• Sun, Feb 22: the offsite\n\nYour goals:\n• run a marathon"
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
