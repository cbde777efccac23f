"""`tellonce chat` as a person and a script use it: one answer per line, the commands, and an immediate end."""

import asyncio
import io
import os
import pty
import re
import signal
import sys
import termios
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pytest

from tellonce.client import MemoryClient
from tellonce_cli import chat
from tellonce_cli.keyboard import Keyboard
from tellonce_cli.screen import Screen
from tellonce_relay.responders.offline import OfflineResponder
from tests.chain.home import Home
from tests.patience import HANGS, promised, until
from tests.relay.running_relay import settings

pytestmark = pytest.mark.anyio


async def test_without_a_server_it_starts_its_own_and_remembers_between_two_talks(home: Home) -> None:
    first = await home.run("chat", told="/remember I prefer window seats\n")
    second = await home.run("chat", told="/memory\nWhat seats do I prefer?")
    assert first == "✓ Remembered: I prefer window seats\n"
    assert second.count("I prefer window seats") >= 2


async def test_brackets_in_what_was_said_are_shown_and_break_nothing(at_home: Home) -> None:
    told = await at_home.run("chat", told="/remember My rule is [/url] and [bold]x[/bold]\n/memory\n")
    assert told.count("[/url] and [bold]x[/bold]") == 2


async def test_forgetting_asks_first_and_an_end_of_input_is_a_no(at_home: Home) -> None:
    kept = await at_home.run("chat", told="/remember I prefer cocoa\n/forget cocoa\nn\n/forget cocoa")
    assert kept.count("Erase for good? [") == kept.count("Kept.") == 2
    gone = await at_home.run("chat", told="/forget cocoa\ny\n/memory\n")
    assert "✓ Forgotten (1 memory)" in gone
    assert "I prefer cocoa" not in gone.partition("✓ Forgotten")[2]


async def test_a_single_key_does_not_erase_everything(at_home: Home) -> None:
    kept = await at_home.run("chat", told="/remember I prefer cocoa\n/forget\ny\nn\n")
    asked = kept.splitlines()
    assert asked[1].startswith("Erase everything for good")
    assert "Type all, n, or numbers from the list, such as 1,3-5." in asked
    assert asked[-1] == "Kept."
    gone = await at_home.run("chat", told="/forget\nall\n/memory\n")
    assert "I prefer cocoa" not in gone.partition("✓ Forgotten")[2]


async def test_what_is_forgotten_is_picked_by_numbers(at_home: Home) -> None:
    remember = "".join(f"/remember I like {kind} jam\n" for kind in ("red", "black", "white"))
    told = await at_home.run("chat", told=f"{remember}/forget jam\nseven\n1,3\n/memory\n")
    assert "☑ 1. [fact, " in told
    assert "Type y, all, n, or numbers from the list, such as 1,3-5." in told
    assert "✓ Erased (2 memories). 1 match was not ticked and still says it." in told
    left = told.partition("✓ Erased")[2]
    assert ["I like red jam" in left, "I like black jam" in left, "I like white jam" in left] == [False, True, False]


async def test_a_refused_data_folder_is_reported_even_without_input(home: Home) -> None:
    file = home.folder / "file"
    file.write_text("no folder")
    home.environment["TELLONCE_DATA_DIR"] = str(file)
    code, told = await home.failing("chat")
    assert code == 1
    assert "TELLONCE_DATA_DIR" in told
    assert "Traceback" not in told


async def test_each_command_answers_and_an_empty_line_does_not(at_home: Home) -> None:
    told = await at_home.run("chat", told="/remember\n\n   \n/summary\n/status\n/new\n/help\n")
    for part in (
        "Tell me what to keep",
        "Nothing here yet",
        "A new conversation begins",
        "/forget topic",
        "/cancel 1 –",
    ):
        assert part in told
    assert told.count("Tell me what to keep") == 1


async def test_help_lists_the_commands_that_the_terminal_has_and_no_others(at_home: Home) -> None:
    told = await at_home.run("chat", told="/help\n")
    assert "✎" not in told
    listed = re.findall(r"^(/\w+)", told, re.MULTILINE)
    assert listed[:2] == ["/memory", "/remember"]
    assert "/cancel" in listed
    assert "don't know that command" not in await at_home.run("chat", told="\n".join(listed) + "\n")


async def test_why_shows_what_the_last_answer_was_based_on(at_home: Home) -> None:
    told = await at_home.run("chat", told="/why\n/remember I prefer oolong tea\nWhich tea do I prefer?\n/why\n/wyh\n")
    assert "Ask me something first" in told
    assert "I prefer oolong tea" in told.partition("I answered without a language model, and only with this:")[2]
    assert "I don't know that command." in told


async def test_reminders_are_set_in_words_listed_and_cancelled(at_home: Home) -> None:
    told = await at_home.run(
        "chat",
        told="Remind me tomorrow at 9 to call mom\n/remind every Monday at 8 to water the plants\n/cancel\n"
        "/reminders\n/cancel 1\nwhat reminders do I have?\n/remind\n",
    )
    lines = told.splitlines()
    assert lines[0] == "⏰ I'll remind you tomorrow at 9:00 AM: call mom"
    assert lines[1] == lines[3] == "No Telegram bot is set up to deliver it; /reminders lists it."
    assert lines[2].endswith("water the plants (every Monday at 8)")
    assert lines[4:6] == ["Which one? /reminders lists them; /cancel 1 cancels the first.", "⏰ Your reminders:"]
    first = "call mom" if lines[6].endswith("call mom") else "water the plants (every Monday at 8)"
    assert lines[8] == f"✗ Cancelled: {first}"
    assert [len([line for line in lines[9:] if line.endswith(end)]) for end in ("call mom", "(every Monday at 8)")] in (
        [0, 2],
        [2, 0],
    )
    said = [e["content"] for e in await at_home.everything() if e["type"] == "message" and e["role"] == "user"]
    assert said.count("Remind me tomorrow at 9 to call mom") == 1
    assert not [text for text in said if text.startswith("/")]


async def test_a_turn_that_is_begun_again_gives_the_terminal_its_cursor_back(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(chat, "console", Screen(file=screen, force_terminal=True))
    terminal = chat.Terminal()
    for _ in range(2):
        await terminal.typing()
    await terminal.send("Hello")
    assert screen.getvalue().count("\x1b[?25l") == screen.getvalue().count("\x1b[?25h") == 1


async def test_an_interrupted_turn_gives_the_terminal_its_cursor_back(monkeypatch: pytest.MonkeyPatch) -> None:
    async def interrupted(memory: object, responder: object, surface: chat.Terminal, *_: object) -> None:
        await surface.typing()
        raise asyncio.CancelledError

    screen = io.StringIO()
    monkeypatch.setattr(chat, "console", Screen(file=screen, force_terminal=True))
    monkeypatch.setattr(chat, "run_turn", interrupted)
    talk = chat.Talk(cast("MemoryClient", None), OfflineResponder(), settings(), Keyboard())
    with pytest.raises(asyncio.CancelledError):
        await talk.hear("Hello")
    assert screen.getvalue().count("\x1b[?25l") == screen.getvalue().count("\x1b[?25h") == 1


async def test_an_answer_keeps_its_lines_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(chat, "console", Screen(file=screen, force_terminal=True, color_system=None, width=60))
    await chat.Terminal().send("Your **goals**:\n• run a marathon\n• learn Portuguese")
    assert [line.rstrip() for line in screen.getvalue().splitlines()] == [
        *("Your goals:", "• run a marathon", "• learn Portuguese"),
    ]


@pytest.mark.parametrize("width", [20, 40, 80])
def test_a_terminal_gets_whole_words_and_whole_commands_and_a_pipe_whole_lines(width: int) -> None:
    text = "Nothing was found. Next: `tellonce connect claude-desktop` shares this memory, or try other words."
    screen, pipe = io.StringIO(), io.StringIO()
    Screen(file=screen, force_terminal=True, color_system=None, width=width).print(text)
    Screen(file=pipe, width=width).print(text)
    lines = screen.getvalue().splitlines()
    command = "`tellonce connect claude-desktop`"
    assert " ".join(lines) == text
    assert len(lines) >= len(text) / width
    assert all(len(line) <= width or line == command for line in lines)
    assert any(command in line for line in lines)
    assert pipe.getvalue() == f"{text}\n"


async def test_a_text_cannot_command_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    evil, screen = "a\x1b]52;c;eA==\x07 b\x9b2J\r c\x1b[2J\n\td", io.StringIO()
    console = Screen(file=screen, force_terminal=True, color_system=None, width=60)
    monkeypatch.setattr(chat, "console", console)
    await chat.Terminal().send(evil)
    console.print(evil)
    shown = screen.getvalue()
    assert shown.count("]52;c;eA==") == 2
    assert set(shown) & {"\x1b", "\x07", "\x9b", "\r"} == set()


@dataclass
class Typing:
    """`tellonce chat` on its own terminal, and its output so far."""

    process: asyncio.subprocess.Process
    master: int
    seen: bytes = b""

    @property
    def shown(self) -> str:
        return self.seen.decode(errors="replace")

    async def until(self, text: str, times: int = 1) -> None:
        async with asyncio.timeout(HANGS):
            while self.shown.count(text) < times:
                self.seen += await asyncio.to_thread(os.read, self.master, 65536)

    def rest(self) -> None:
        """Read the remaining output of a program that has ended."""
        os.set_blocking(self.master, False)
        with suppress(OSError):
            while piece := os.read(self.master, 65536):
                self.seen += piece

    def types(self, keys: str) -> None:
        os.write(self.master, keys.encode())

    async def interrupt(self) -> None:
        """Press Ctrl-C when the program waits for keys. After the prompt appears, readline runs a moment longer, and a
        signal in this moment takes effect only with the next key."""
        waits = Path(f"/proc/{self.process.pid}/wchan")
        if waits.exists():
            await until(lambda: "poll" in waits.read_text() or "select" in waits.read_text())
        self.process.send_signal(signal.SIGINT)

    @property
    def echoes(self) -> bool:
        return bool(termios.tcgetattr(self.master)[3] & termios.ECHO)


@asynccontextmanager
async def typing(home: Home) -> AsyncIterator[Typing]:
    master, terminal = pty.openpty()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tellonce_cli.main", "chat"),
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env=home.environment | {"TERM": "xterm"},
        cwd=home.folder,
        start_new_session=True,
        # Tests that run in the background ignore SIGINT. Without this line, their child processes would ignore it, too.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        yield Typing(process, master)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
        os.close(terminal)
        os.close(master)


async def test_ctrl_c_ends_it_at_once_while_it_waits_for_a_line_and_leaves_the_terminal_as_it_was(
    at_home: Home,
) -> None:
    async with typing(at_home) as person:
        await person.until("you › ")
        await person.interrupt()
        async with asyncio.timeout(promised(10)):
            assert await person.process.wait() == 130
        person.rest()
        assert person.echoes
    assert "Traceback" not in person.shown


async def test_a_line_can_be_edited_and_a_pasted_text_is_one_message(at_home: Home) -> None:
    left = "\x1b[D"
    async with typing(at_home) as person:
        await person.until("you › ")
        person.types(f"/remember I prefer te{left}{left}green \x1b[Fa\r")
        await person.until("you › ", 2)
        assert "✓ Remembered: I prefer green tea" in person.shown
        person.types("\x1b[200~/remember My tram is number 9\nMy bus is number 12\x1b[201~\r")
        await person.until("you › ", 3)
        person.types("\x04")
        async with asyncio.timeout(HANGS):
            assert await person.process.wait() == 0
    assert person.shown.count("✓ Remembered: ") == 2


async def test_a_server_elsewhere_that_is_silent_is_reported_and_no_memory_is_created_instead(home: Home) -> None:
    home.environment |= {"TELLONCE_URL": f"http://127.0.0.2:{home.port}/mcp", "TELLONCE_TOKEN": "any"}
    code, said = await home.failing("chat", told="/remember I prefer tea\n")
    assert code == 1
    assert said.startswith(f"tellonce: no server answers at http://127.0.0.2:{home.port}/mcp")
    assert not (home.folder / "data").exists()


async def test_ctrl_c_at_a_question_is_a_no_and_the_talk_goes_on(at_home: Home) -> None:
    async with typing(at_home) as person:
        await person.until("you › ")
        person.types("/remember My locker is 4711\r")
        await person.until("you › ", 2)
        person.types("/forget locker\r")
        await person.until("Erase for good?")
        await person.interrupt()
        await person.until("Kept.")
        await person.until("you › ", 3)
        person.types("\x04")
        async with asyncio.timeout(HANGS):
            assert await person.process.wait() == 0


@pytest.mark.parametrize("word", ["exit", "quit", " Exit ", "/quit"])
async def test_a_word_for_leaving_ends_the_chat_and_is_not_stored(at_home: Home, word: str) -> None:
    told = await at_home.run("chat", told=f"I want to exit the lease\n{word}\n/remember I prefer cocoa\n")
    assert told.count("\n") == 1
    assert "cocoa" not in told
