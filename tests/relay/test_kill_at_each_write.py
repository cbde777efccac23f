"""The relay is killed at each of its file writes during a turn. The next relay shows and records every text once."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest

from tellonce.reminders import ListRemindersArgs, SetReminderArgs
from tellonce_relay import seen_store
from tellonce_relay.telegram import chat_surface, message_sender
from tellonce_relay.updates import inbox
from tests.depth import depth
from tests.memory_fixtures import Clock, Memory
from tests.patience import until
from tests.relay.running_relay import GROUP, USER, Echo, relaying, texts
from tests.stubs.telegram_emulator import Telegram, telegram
from tests.stubs.transcription_stub import TranscriptionStub

pytestmark = pytest.mark.anyio

LONG = 1000
"""Enough words for an answer of two messages."""


STRIDE = depth(4, 1)
"""The relay is killed at every write of a turn, or at every fourth write."""


class KilledError(BaseException):
    """The process is dead. No handler of the relay catches it."""


@dataclass
class Writes:
    """Kills the relay just after its write number `left`. If `sooner` is true, the kill comes just before this write.
    Every task that writes afterwards ends at once."""

    left: int
    sooner: bool
    over: bool = False

    def counted(self, write: Callable[..., object]) -> Callable[..., object]:
        def written(*arguments: object) -> object:
            if self.over:
                raise KilledError
            self.left -= 1
            self.over = self.left == 0
            result = write(*arguments) if not (self.over and self.sooner) else None
            if self.over:
                raise KilledError
            return result

        return written


async def message(api: Telegram, words: str) -> None:
    await api.say(words)


async def in_group(api: Telegram, words: str) -> None:
    await api.say(words, chat=GROUP)


async def voice(api: Telegram, words: str) -> None:
    await api.voice(words.encode())


async def reminder(api: Telegram, words: str) -> None:
    await api.say(f"/remind tomorrow at 9 {words}")


@pytest.mark.parametrize("sooner", [False, True], ids=["after the write", "before the write"])
@pytest.mark.parametrize(
    ("say", "responder", "shown", "answered"),
    [
        (message, Echo(length=LONG), ["re {} word"], True),
        (in_group, Echo(before="Well, "), ["Well, re {}"], True),
        (voice, Echo(), ["🎤 “{}”", "re {}"], True),
        (reminder, Echo(), ["⏰ I'll remind you tomorrow at 9:00 AM: {}"], False),
    ],
    ids=["an answer of two messages", "an edited draft", "a transcript and an answer", "a command"],
)
async def test_a_kill_at_any_write_neither_loses_nor_doubles_a_text(
    memory: Memory,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    say: Callable[[Telegram, str], Awaitable[None]],
    responder: Echo,
    shown: list[str],
    *,
    answered: bool,
    sooner: bool,
) -> None:
    monkeypatch.setattr(message_sender, "SETTLING", 0.05)
    monkeypatch.setattr(chat_surface, "EDIT_SECONDS", 0.0)
    monkeypatch.setattr(chat_surface, "GROUP_EDIT_SECONDS", 0.0)
    async with telegram() as api, TranscriptionStub() as ear:
        own = {"transcribe": {"url": ear.url}}
        for number in count(1, STRIDE):
            words, writes = f"take pill {number} again", Writes(number, sooner)

            async def until_idle(words: str = words, writes: Writes | None = None) -> None:
                """Wait until the message with these words was handled, or until the relay is dead."""

                def idle() -> bool:
                    handled = not list((tmp_path / "inbox").glob("*.json")) and not api.world.updates
                    return handled and shown[-1].format(words) in "\n".join(texts(api))

                await until(lambda: (writes is not None and writes.over) or idle())

            with monkeypatch.context() as patched:
                for module in (seen_store, inbox):
                    patched.setattr(module, "append", writes.counted(seen_store.append))
                patched.setattr(inbox.Inbox, "done", writes.counted(inbox.Inbox.done))
                async with relaying(memory, responder, state=tmp_path, api=api, own=own, killed=True):
                    await say(api, words)
                    await until_idle(writes=writes)
            async with relaying(memory, responder, state=tmp_path, api=api, own=own):
                await until_idle()
            for text in shown:
                assert "\n".join(texts(api)).count(text.format(words)) == 1, f"killed at write {number}"
            if not writes.over:
                break
    assert number > 10  # a turn has at least ten writes
    times = (number - 1) // STRIDE + 1
    async with memory.tables() as tables:
        rows = await tables.fetch(
            "select role, count(*) as n, count(distinct content) as texts from messages group by 1"
        )
    assert {row["role"]: (row["n"], row["texts"]) for row in rows} == dict.fromkeys(
        ("user", "assistant") if answered else ("user",), (times, times)
    )


@pytest.mark.parametrize("sooner", [False, True], ids=["after the write", "before the write"])
async def test_a_kill_at_any_write_neither_loses_nor_doubles_a_due_reminder(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: Clock, *, sooner: bool
) -> None:
    monkeypatch.setattr(message_sender, "SETTLING", 0.05)
    async with telegram() as api, memory.relay() as client:
        async with relaying(memory, Echo(), state=tmp_path, api=api, clock=clock):
            await api.say("/help")  # the bot must know the number of an earlier message
            await api.replies(1)
        for number in count(1):
            words, writes = f"take pill {number} again", Writes(number, sooner)
            await client.set_reminder(SetReminderArgs(content=words, at=clock(), chat_id=USER))

            async def until_finished(writes: Writes | None = None) -> None:

                async def finished() -> bool:
                    if writes is not None and writes.over:
                        return True
                    return not (await client.list_reminders(ListRemindersArgs(chat_id=USER))).reminders

                await until(finished)

            with monkeypatch.context() as patched:
                patched.setattr(seen_store, "append", writes.counted(seen_store.append))
                async with relaying(memory, Echo(), state=tmp_path, api=api, clock=clock, killed=True):
                    await until_finished(writes)
            async with relaying(memory, Echo(), state=tmp_path, api=api, clock=clock):
                await until_finished()
            assert texts(api).count(f"⏰ {words}") == 1, f"killed at write {number}"
            if not writes.over:
                break
    assert number > 3
