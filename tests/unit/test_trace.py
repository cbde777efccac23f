"""The events of a turn as `tellonce trace` prints them."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from rich.console import Console

from tellonce_cli import trace
from tellonce_cli.screen import CommandFailed

START = datetime(2026, 2, 18, 9, tzinfo=UTC)
TURN = "4bf92f3577b34da6a3ce929d0e0e4736"


def line(process: str, event: str, end: float, ms: float | None = None, trace_id: str = TURN, **details: object) -> str:
    at = (START + timedelta(milliseconds=end)).isoformat()
    timed = {"ms": ms} if ms is not None else {}
    return json.dumps({"at": at, "process": process, "event": event, "traceId": trace_id, **timed, **details})


LINES = (
    line("relay", "message_received", 0, chat=42),
    line("server", "tool_call", 9, 5, tool="record_message"),
    line("server", "ltm_enqueued", 8, kinds=["exchange"]),
    line("relay", "message_recorded", 10, 9),
    line("summarizer", "ltm_llm_call", 60, 20, job="1"),
    line("relay", "reply_sent", 90, 80),
    line("server", "tool_call", 65, 3, tool="submit_work"),
    line("summarizer", "work_done", 70, 30, job="1"),
    line("summarizer", "work_done", 75, 40, job="2"),
)


@pytest.fixture
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "logs"
    folder.mkdir()
    monkeypatch.setenv("TELLONCE_LOG_DIR", str(folder))
    monkeypatch.setenv("OBSERVABILITY_ENABLED", "1")
    monkeypatch.chdir(tmp_path)
    return folder


def drawn(monkeypatch: pytest.MonkeyPatch, trace_id: str | None) -> str:
    console = Console(record=True, width=200, highlight=False)
    monkeypatch.setattr(trace, "console", console)
    assert trace.run(trace_id) == 0
    return console.export_text()


def test_events_are_shown_by_their_start_and_those_of_the_server_are_indented(
    logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (logs / "2026-02-18.jsonl").write_text("\n".join(LINES) + "\n")
    title, *lines = drawn(monkeypatch, TURN[:8]).splitlines()
    starts = [float(line.split()[0]) for line in lines]
    assert starts == sorted(starts)
    assert len(lines) == len(LINES)
    assert lines[1].split()[:3] == ["1.0", "relay:", "message_recorded"], "it began before the server's call"
    indented = [line[10:].startswith("  ") for line in lines]
    assert indented == ["server:" in line for line in lines]
    assert "answered after 90.0 ms" in title


def test_a_line_cut_short_by_a_crash_is_passed_over(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (logs / "2026-02-18.jsonl").write_text(f"{LINES[0]}\n{LINES[1][:40]}{LINES[2]}\n\n[]\n{LINES[3]}\n")
    text = drawn(monkeypatch, TURN)
    assert "message_recorded" in text
    assert "ltm_enqueued" not in text


def test_the_last_turns_come_newest_first_with_their_trouble(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = "0" * 31 + "1"
    later = [
        line("relay", "message_received", 5000, trace_id=other),
        line("summarizer", "model_fallback", 6000, trace_id=other, model="claude", to="ollama"),
    ]
    work_alone = line("summarizer", "work_done", 7000, 5, trace_id="f" * 32)
    (logs / "2026-02-18.jsonl").write_text("\n".join([*LINES, *later, work_alone]) + "\n")
    text = drawn(monkeypatch, None)
    assert text.index(other) < text.index(TURN)
    assert "model_fallback" in text
    assert "90.0 ms" in text
    assert "f" * 32 not in text, "work without a message is no turn"


def test_a_beginning_that_several_traces_share_is_refused(logs: Path) -> None:
    twin = TURN[:-1] + "7"
    (logs / "2026-02-18.jsonl").write_text(f"{LINES[0]}\n{line('relay', 'message_received', 1, trace_id=twin)}\n")
    with pytest.raises(CommandFailed, match="2 traces begin with 4bf9"):
        trace.run("4bf9")


def test_without_events_it_says_what_to_do(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CommandFailed, match="Send the bot a message"):
        trace.run(None)
    monkeypatch.setenv("OBSERVABILITY_ENABLED", "0")
    with pytest.raises(CommandFailed, match="OBSERVABILITY_ENABLED=1"):
        trace.run("4bf9")
