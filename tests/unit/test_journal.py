"""The journal writes each event as a line of a file. Several processes share this file."""

import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tellonce import tracing
from tellonce.journal import Journal, journal, silent, timed
from tellonce.settings import Settings
from tests.patience import HANGS

LATE = datetime(2026, 2, 18, 17, 30, tzinfo=UTC)


def lines(folder: Path, day: str = "2026-02-19") -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / f"{day}.jsonl").read_text().splitlines()]


def kept(folder: Path, at: datetime = LATE) -> Journal:
    return Journal(folder, "summarizer", ZoneInfo("Asia/Singapore"), lambda: at)


def test_an_event_is_one_line_in_the_file_of_the_users_day(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    tell = kept(folder)
    tell("work_claimed", attempt=1)
    with tracing.traced("turn"):
        tell("work_done", state="complete")
        trace = tracing.trace_id()
    assert lines(folder) == [
        {
            "at": "2026-02-19T01:30:00+08:00",
            "process": "summarizer",
            "event": "work_claimed",
            "traceId": None,
            "attempt": 1,
        },
        {
            "at": "2026-02-19T01:30:00+08:00",
            "process": "summarizer",
            "event": "work_done",
            "traceId": trace,
            "state": "complete",
        },
    ]


def test_without_observability_nothing_is_written(tmp_path: Path) -> None:
    settings = Settings.model_validate({"observability": False, "log_dir": tmp_path / "logs"})
    assert journal("server", settings) is silent
    assert not (tmp_path / "logs").exists()


def test_a_timed_step_that_fails_is_not_reported_as_done(tmp_path: Path) -> None:
    tell = kept(tmp_path)

    def failing() -> None:
        with timed(tell, "reply_sent"):
            raise ConnectionError

    with timed(tell, "context_received", chat=1) as found:
        found["tokens"] = 12
    with pytest.raises(ConnectionError):
        failing()
    (event,) = lines(tmp_path)
    assert (event["event"], event["chat"], event["tokens"]) == ("context_received", 1, 12)
    assert isinstance(event["ms"], float)


def test_a_disk_that_takes_no_more_costs_events_and_nothing_else(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "logs").write_text("a file where the folder should be")
    kept(tmp_path / "logs")("work_claimed")
    assert "work_claimed was not written" in caplog.text


WRITER = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo
from tellonce.journal import Journal
tell = Journal(Path(sys.argv[1]), sys.argv[2], ZoneInfo("UTC"), lambda: datetime(2026, 2, 19, tzinfo=UTC))
for number in range(500):
    tell("event", number=number, filling="x" * (number * 40))
"""


def test_processes_that_write_at_once_never_mix_their_lines(tmp_path: Path) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), name]) for name in ("relay", "server", "third")
    ]
    assert [writer.wait(HANGS) for writer in writers] == [0, 0, 0]
    found = [(line["process"], line["number"]) for line in lines(tmp_path)]
    assert sorted(found, key=str) == sorted(
        [(name, number) for name in ("relay", "server", "third") for number in range(500)], key=str
    )
    for name in ("relay", "server", "third"):
        assert [number for process, number in found if process == name] == list(range(500))
