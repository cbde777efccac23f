"""Times are written in English and in the user's zone. They are correct across changes of daylight saving time."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tellonce_text.dates.clock import (
    MONTHS,
    WEEKDAYS,
    age,
    clock_time,
    dated,
    day_header,
    local,
    local_day,
    month_day,
    period,
)

UTC_ZONE = ZoneInfo("UTC")
SINGAPORE, BERLIN, NEW_YORK = ZoneInfo("Asia/Singapore"), ZoneInfo("Europe/Berlin"), ZoneInfo("America/New_York")
MOMENTS = st.datetimes(datetime(1975, 1, 1), datetime(2090, 1, 1), timezones=st.just(UTC))
ZONES = st.sampled_from(
    [ZoneInfo(z) for z in ("Asia/Singapore", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Pacific/Apia")]
)


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # year, month, day, hour, minute


def test_a_day_header_names_the_local_day() -> None:
    assert day_header(local_day(utc(2026, 2, 15, 17, 30), SINGAPORE)) == "─── Monday, 16 February 2026 ───"
    assert day_header(local_day(utc(2026, 2, 15, 17, 30), NEW_YORK)) == "─── Sunday, 15 February 2026 ───"


@pytest.mark.parametrize(
    ("hour", "minute", "written"),
    [
        (0, 0, "12:00 AM"),
        (0, 5, "12:05 AM"),
        (9, 15, "09:15 AM"),
        (12, 0, "12:00 PM"),
        (13, 1, "01:01 PM"),
        (23, 59, "11:59 PM"),
    ],
)
def test_a_time_has_two_digits_and_a_half_of_the_day(hour: int, minute: int, written: str) -> None:
    assert clock_time(utc(2026, 2, 18, hour, minute), ZoneInfo("UTC")) == written


def test_the_same_instant_reads_differently_before_and_after_the_change_to_summer_time() -> None:
    assert clock_time(utc(2026, 3, 29, 0, 30), BERLIN) == "01:30 AM"
    assert clock_time(utc(2026, 3, 29, 1, 30), BERLIN) == "03:30 AM"


@pytest.mark.parametrize(
    ("elapsed", "written"),
    [
        (timedelta(0), "just now"),
        (timedelta(minutes=59, seconds=59), "just now"),
        (timedelta(hours=1), "1h ago"),
        (timedelta(hours=15), "15h ago"),
        (timedelta(hours=15, minutes=1), "yesterday"),
        (timedelta(hours=39), "yesterday"),
        (timedelta(hours=39, minutes=1), "2 days ago"),
        (timedelta(days=400), "400 days ago"),
        (timedelta(hours=-5), "just now"),
    ],
)
def test_an_age_grows_from_hours_to_days_of_the_calendar(elapsed: timedelta, written: str) -> None:
    now = utc(2026, 2, 18, 15, 0)
    assert age(now - elapsed, now, UTC_ZONE) == written


def test_a_routine_of_seven_in_the_morning_is_eight_hours_old_at_three() -> None:
    sent = datetime(2026, 2, 18, 7, 2, tzinfo=SINGAPORE)
    assert age(sent, datetime(2026, 2, 18, 15, 2, tzinfo=SINGAPORE), SINGAPORE) == "8h ago"
    assert clock_time(sent, SINGAPORE) == "07:02 AM"


def test_an_age_counts_real_hours_across_the_change_to_summer_time() -> None:
    # The wall clock shows eight hours more, but only seven hours have passed, because the clocks move from two to
    # three.
    before, after = datetime(2026, 3, 29, 0, 0, tzinfo=BERLIN), datetime(2026, 3, 29, 8, 0, tzinfo=BERLIN)
    assert age(before, after, BERLIN) == "7h ago"


@pytest.mark.parametrize(
    ("first", "last", "written"),
    [
        ((2026, 2, 15), (2026, 2, 15), "Feb 15"),
        ((2026, 2, 15), (2026, 2, 16), "Feb 15–16"),
        ((2026, 2, 27), (2026, 3, 2), "Feb 27 – Mar 2"),
        ((2025, 12, 30), (2026, 1, 2), "Dec 30, 2025 – Jan 2"),
        ((2024, 2, 15), (2024, 2, 15), "Feb 15, 2024"),
        ((2024, 2, 15), (2024, 2, 16), "Feb 15–16, 2024"),
        ((2024, 2, 27), (2024, 3, 2), "Feb 27, 2024 – Mar 2, 2024"),
        ((2026, 2, 16), (2026, 2, 15), "Feb 15–16"),
    ],
)
def test_a_period_names_its_first_and_last_day(first: tuple[int, ...], last: tuple[int, ...], written: str) -> None:
    assert period(utc(*first, 3), utc(*last, 9), SINGAPORE, date(2026, 3, 5)) == written


def test_a_day_of_another_year_shows_its_year() -> None:
    assert dated(date(2026, 2, 15), date(2026, 12, 1)) == "Feb 15"
    assert dated(date(2024, 2, 15), date(2026, 12, 1)) == "Feb 15, 2024"
    assert month_day(date(2026, 3, 5)) == "Mar 5"


@pytest.mark.parametrize("use", [lambda at: local(at, BERLIN), lambda at: age(at, utc(2026, 1, 1), BERLIN)])
def test_a_moment_without_an_offset_is_refused(use: object) -> None:
    with pytest.raises(ValueError, match="no UTC offset"):
        use(datetime(2026, 1, 1))  # one of the two lambdas


@given(MOMENTS, ZONES)
def test_rendering_reads_back_to_the_local_minute(at: datetime, zone: ZoneInfo) -> None:
    here = at.astimezone(zone)
    _, weekday, day, month, year, _ = day_header(local_day(at, zone)).replace(",", "").split()
    time, half = clock_time(at, zone).split()
    hour = int(time[:2]) % 12 + 12 * (half == "PM")
    assert (int(year), MONTHS.index(month) + 1, int(day)) == (here.year, here.month, here.day)
    assert WEEKDAYS.index(weekday) == here.weekday()
    assert (hour, int(time[3:])) == (here.hour, here.minute)
    assert local_day(at, zone) == here.date()


@given(MOMENTS, st.timedeltas(timedelta(0), timedelta(days=900)), ZONES)
def test_an_age_does_not_depend_on_the_clock_its_moments_are_read_from(
    now: datetime, elapsed: timedelta, zone: ZoneInfo
) -> None:
    assert age((now - elapsed).astimezone(BERLIN), now.astimezone(zone), zone) == age(now - elapsed, now, zone)


@given(MOMENTS, MOMENTS, ZONES)
def test_a_period_is_the_same_from_either_end(one: datetime, other: datetime, zone: ZoneInfo) -> None:
    today = date(2026, 3, 5)
    assert period(one, other, zone, today) == period(other, one, zone, today)
