"""The texts of routines without a model, and the list of routines."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tellonce_relay.commands.menu import routines_view
from tellonce_relay.routines.built_in_routines import NothingToSend, morning, night
from tellonce_relay.routines.file import Routine
from tellonce_relay.stores import Stores
from tests.relay.contract_samples import SINGAPORE, memory, profile, summary

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


def test_the_list_says_which_routines_need_a_model_and_which_are_not_planned(tmp_path: Path) -> None:
    sent = Stores(tmp_path).routines
    sent.put("42:broken", "7")
    routines = (
        Routine(name="tea", cron="0 9 * * *", prompt="Ask about tea"),
        Routine(name="night-summary", cron="0 22 * * *"),
    )
    shown = {
        is_set: routines_view(routines, sent, 42, SEVEN, SINGAPORE, has_model=is_set).text for is_set in (True, False)
    }
    assert shown[True].splitlines()[1:3] == ["• tea: next today at 9:00 AM", "• night-summary: next today at 10:00 PM"]
    assert shown[False].splitlines()[1:] == [
        "• tea: needs a language model, and none is set up",
        "• night-summary: next today at 10:00 PM",
        "• broken: not on my schedule",
    ]


def test_the_list_names_the_routines_that_are_skipped_because_of_a_mistake(tmp_path: Path) -> None:
    sent = Stores(tmp_path).routines
    sent.put("42:weekly", "7")
    shown = routines_view((), sent, 42, SEVEN, SINGAPORE, has_model=True, invalid=("weekly",)).text.splitlines()
    assert len(shown) == 2
    assert "weekly" in shown[1]
    assert "doctor" in shown[1]
