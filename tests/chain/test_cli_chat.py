"""`chatmem chat` as a person and as a script meet it: one answer a line, the commands, and an end at once."""

import asyncio
import io
import os
import pty
import signal
import sys
from contextlib import suppress

import pytest
from rich.console import Console

from chatmem_cli import chat
from tests.chain.home import Home
from tests.patience import HANGS, promised

pytestmark = pytest.mark.anyio


async def test_without_a_server_it_starts_its_own_and_remembers_between_two_talks(home: Home) -> None:
    first = await home.run("chat", told="/remember I prefer window seats\n")
    second = await home.run("chat", told="/memory\nWhat seats do I prefer?")
    assert first == "✓ Remembered: I prefer window seats\n"
    assert second.count("I prefer window seats") >= 2


async def test_brackets_in_what_was_said_are_shown_and_break_nothing(home: Home) -> None:
    told = await home.run("chat", told="/remember My rule is [/url] and [bold]x[/bold]\n/memory\n")
    assert told.count("[/url] and [bold]x[/bold]") == 2


async def test_forgetting_asks_first_and_an_end_of_input_is_a_no(home: Home) -> None:
    kept = await home.run("chat", told="/remember I prefer tea\n/forget tea\nn\n/forget tea")
    assert kept.count("Erase this for good? [y/N]") == kept.count("Kept.") == 2
    gone = await home.run("chat", told="/forget tea\ny\n/memory\n")
    assert "✓ Forgotten (1 memory, " in gone
    assert "I prefer tea" not in gone.partition("✓ Forgotten")[2]


async def test_each_command_answers_and_an_empty_line_does_not(home: Home) -> None:
    told = await home.run("chat", told="/remember\n\n   \n/summary\n/status\n/new\n/help\n")
    for part in ("Say what:", "CONVERSATION SUMMARY", "A new conversation begins", "/forget topic"):
        assert part in told
    assert told.count("Say what:") == 1


async def test_why_tells_what_the_last_answer_was_based_on(home: Home) -> None:
    told = await home.run("chat", told="/why\n/remember I prefer oolong tea\nWhich tea do I prefer?\n/why\n/wyh\n")
    assert "Ask me something first" in told
    assert "I prefer oolong tea" in told.partition("Based on")[2]
    assert "I don't know that command; /help lists them." in told


async def test_a_turn_that_is_begun_again_gives_the_terminal_its_cursor_back(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(chat, "console", Console(file=screen, force_terminal=True))
    terminal = chat.Terminal()
    for _ in range(2):
        await terminal.typing()
    await terminal.send("Hello")
    assert screen.getvalue().count("\x1b[?25l") == screen.getvalue().count("\x1b[?25h") == 1


async def test_ctrl_c_ends_it_at_once_while_it_waits_for_a_line(home: Home) -> None:
    master, terminal = pty.openpty()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "chatmem_cli.main", "chat"),
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env=home.environment,
        cwd=home.folder,
        start_new_session=True,
        # A test run in the background ignores SIGINT, and so would its children.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    os.close(terminal)
    said = b""
    try:
        async with asyncio.timeout(HANGS):
            while "you › ".encode() not in said:
                said += await asyncio.to_thread(os.read, master, 65536)
        process.send_signal(signal.SIGINT)
        async with asyncio.timeout(promised(10)):
            assert await process.wait() == 130
        said += _rest(master)
    finally:
        if process.returncode is None:
            process.kill()
        os.close(master)
    assert b"Traceback" not in said


def _rest(master: int) -> bytes:
    """What a program that ended left to be read at its terminal; reading fails at the end of it."""
    os.set_blocking(master, False)
    said = b""
    with suppress(OSError):
        while piece := os.read(master, 65536):
            said += piece
    return said
