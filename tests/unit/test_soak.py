"""Tests the rule for a flat series of measurements in the report of a soak run."""

from benchmarks.soak_report import FLAT, JUDGED, PROCESSES, SLICE, Minute, Soak, slope, table, verdict


def soak(growth: float, minutes: int = 30, warm_up: int = 10) -> Soak:
    """A run in which the server's memory use rises suddenly during the warm-up. After the warm-up, it grows from 100
    MiB by `growth` MiB per minute."""
    series = [
        Minute(memory=dict.fromkeys(PROCESSES, 100.0), connections=18, open_jobs=3, load=1) for _ in range(minutes)
    ]
    for number, minute in enumerate(series):
        minute.memory["server"] = 100 + growth * (number - warm_up) if number >= warm_up else 50
    slices = minutes // SLICE
    tools = [dict.fromkeys(JUDGED, (99, 5.0, 9.0))] * slices
    return Soak(warm_up=warm_up, minutes=series, tools=tools, paces=[2.0] * slices)


def test_what_grows_in_the_warm_up_alone_is_flat() -> None:
    flat, sentence = verdict(soak(0.0))
    assert flat, sentence


def test_what_grows_by_more_than_a_tenth_is_named_with_its_slope() -> None:
    flat, sentence = verdict(soak(1.0))
    assert not flat
    assert "server, MiB (+17.4 %)" in sentence
    assert "PostgreSQL" not in sentence


def test_a_latency_that_grows_is_named_too() -> None:
    slower = soak(0.0)
    slower.tools = [{**part, "get_context": (99, 5.0, 9.0 + n)} for n, part in enumerate(slower.tools)]
    assert "get_context p95" in verdict(slower)[1]


def test_a_latency_that_grows_as_the_machine_slows_down_is_flat() -> None:
    slower = soak(0.0)
    slower.tools = [dict.fromkeys(JUDGED, (99, 5.0 + n, 10.0 + 2 * n)) for n in range(len(slower.tools))]
    slower.paces = [2.0 + 0.4 * n for n in range(len(slower.tools))]
    assert verdict(slower)[0]


def test_a_run_too_short_to_judge_has_no_verdict() -> None:
    flat, sentence = verdict(soak(0.0, minutes=11))
    assert not flat
    assert "ended too soon" in sentence


def test_a_slope_is_the_change_from_end_to_end_as_a_share_of_the_mean() -> None:
    assert slope([90.0, 100.0, 110.0]) == (20.0, 0.0)


def test_what_leaps_up_and_down_is_steep_only_beyond_its_error() -> None:
    noisy, rising = [90.0, 130.0, 85.0, 135.0, 95.0, 125.0], [90.0, 112.0, 101.0, 122.0, 113.0, 132.0]
    assert slope(noisy).change > FLAT
    assert not slope(noisy).is_steep
    assert slope(rising).is_steep


def test_the_table_shows_every_slice_the_warm_up_included() -> None:
    assert "| 0–5 | 2.00 ms | 5.0 / 9.0 ms | 5.0 / 9.0 ms | 5.0 / 9.0 ms |" in table(soak(0.0)).splitlines()
