"""`chatmem chat`: a conversation in the terminal over the same memory."""

import asyncio
import secrets
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from rich.console import Console
from rich.live import Live
from rich.markdown import Markdown

from chatmem import contract as c
from chatmem.client import MemoryClient, MemoryRefused, MemoryUnreachable
from chatmem.connect import connect_http, connect_stdio
from chatmem.settings import RelaySettings, SettingsError, load
from chatmem_cli.keyboard import Keyboard
from chatmem_cli.memory import own_environment
from chatmem_relay import views
from chatmem_relay.incoming import Incoming
from chatmem_relay.responders.choose import choose
from chatmem_relay.responders.responder import Responder
from chatmem_relay.turn import Manner, run_turn

CHANNEL = "terminal"
# Texts of people may hold brackets: nothing is markup.
console = Console(markup=False, highlight=False, soft_wrap=True)


class Terminal:
    """A surface that streams to the screen, and prints plainly when piped."""

    def __init__(self) -> None:
        self._live: Live | None = None

    async def typing(self) -> None:
        if console.is_terminal:
            self._live = Live("…", console=console, refresh_per_second=12, transient=True)
            self._live.start()

    async def show_partial(self, text: str) -> None:
        if self._live is not None:
            self._live.update(Markdown(text))

    async def send(self, text: str) -> list[str]:
        if self._live is not None:
            self._live.stop()
            self._live = None
        console.print(Markdown(text) if console.is_terminal else text)
        return [f"{CHANNEL}:{secrets.token_hex(8)}"]


def run() -> int:
    return asyncio.run(_chat(load(RelaySettings)))


async def _chat(settings: RelaySettings) -> int:
    responder, keyboard = choose(settings), Keyboard()
    async with connected(settings) as memory:
        if keyboard.interactive:
            console.print(f"Talking with {responder.name}. /help lists commands, Ctrl-D ends.")
        while (line := await keyboard.line("you › ")) is not None:
            if line.strip():
                await _answer(memory, responder, settings, keyboard, line.strip())
    return 0


@asynccontextmanager
async def connected(settings: RelaySettings) -> AsyncGenerator[MemoryClient]:
    """The running server's memory; without one, a server of our own over stdio, on the same data."""
    try:
        token = settings.bearer("assistant")
    except SettingsError:
        token = ""
    if token and await _answers(settings.url, token):
        async with connect_http(settings.url, token) as memory:
            yield memory
    else:
        arguments = ["-m", "chatmem_server", "--stdio"]
        async with connect_stdio(sys.executable, arguments, own_environment()) as memory:
            yield memory


async def _answers(url: str, token: str) -> bool:
    async with connect_http(url, token, attempts=1) as memory:
        try:
            await memory.get_profile(c.GetProfileArgs())
        except (MemoryUnreachable, MemoryRefused):
            return False
        return True


async def _answer(
    memory: MemoryClient, responder: Responder, settings: RelaySettings, keyboard: Keyboard, line: str
) -> None:
    command, _, rest = line.partition(" ")
    handler = _COMMANDS.get(command)
    try:
        if command == "/forget":
            console.print(await _forget(memory, keyboard, rest.strip()))
        elif handler is not None:
            console.print(await handler(memory, rest.strip()))
        else:
            await run_turn(memory, responder, Terminal(), _incoming(settings, line), _manner(settings))
    except (MemoryRefused, MemoryUnreachable) as error:
        console.print(str(error))


def _incoming(settings: RelaySettings, line: str) -> Incoming:
    return Incoming(
        text=line,
        chat_id=None,
        message_id=f"{CHANNEL}:{secrets.token_hex(8)}",
        sent_at=datetime.now(ZoneInfo(settings.timezone)),
        channel=CHANNEL,
        user_name=settings.user_name,
    )


def _manner(settings: RelaySettings) -> Manner:
    file = settings.config_dir / "profile.md"
    profile = file.read_text() if file.exists() else ""
    return Manner(zone=ZoneInfo(settings.timezone), now=lambda: datetime.now(UTC), profile=profile)


async def _memory(memory: MemoryClient, _: str) -> str:
    return views.memory_view(await memory.get_profile(c.GetProfileArgs()))


async def _summary(memory: MemoryClient, _: str) -> str:
    return views.summary_view(await memory.summarize_chat(c.SummarizeChatArgs()))


async def _remember(memory: MemoryClient, text: str) -> str:
    if not text:
        return "Say what: /remember I prefer tea"
    return views.remembered_view((await memory.remember(c.RememberArgs(content=text))).memory)


async def _forget(memory: MemoryClient, keyboard: Keyboard, topic: str) -> str:
    target = c.ForgetArgs(topic=topic) if topic else c.ForgetArgs(everything=True)
    preview = await memory.forget(target)
    if not preview.matches:
        return "Nothing matches; nothing to forget."
    console.print("\n".join(f"• {match.text}" for match in preview.matches))
    if not keyboard.interactive:
        console.print("Erase this for good? [y/N]")
    sure = await keyboard.line("Erase this for good? [y/N] ")
    if not (sure or "").strip().lower().startswith("y"):
        return "Kept."
    done = await memory.forget(target.model_copy(update={"confirm": preview.confirm}))
    return f"✓ Forgotten ({done.erased.get('memories', 0)} memories, {done.erased.get('sentences', 0)} sentences)"


async def _new(memory: MemoryClient, _: str) -> str:
    begun = await memory.start_new_chat(c.StartNewChatArgs())
    return f"A new conversation begins ({begun.epoch}); your memories stay."


async def _status(memory: MemoryClient, _: str) -> str:
    return views.status_view(await memory.summarize_chat(c.SummarizeChatArgs()))


async def _help(_: MemoryClient, __: str) -> str:
    return views.HELP


_COMMANDS: dict[str, Callable[[MemoryClient, str], Awaitable[str]]] = {
    "/memory": _memory,
    "/summary": _summary,
    "/remember": _remember,
    "/status": _status,
    "/new": _new,
    "/help": _help,
}
