"""A relay in the test's own process, between an emulated Telegram and a real memory."""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from tellonce.client import MemoryClient, MemoryRefused
from tellonce.client_settings import RelaySettings
from tellonce.contract import ExplainArgs
from tellonce.journal import Emit, silent
from tellonce_llm.errors import Cause
from tellonce_llm.model import Answer, FileKind
from tellonce_relay.commands.answers import CommandContext
from tellonce_relay.incoming_message import Incoming
from tellonce_relay.process import introduce, relay
from tellonce_relay.responders.offline import OfflineResponder
from tellonce_relay.responders.prompt import Prompt
from tellonce_relay.responders.responder import CannotAnswer, Responder
from tellonce_relay.routines.delivery import DeliveryContext
from tellonce_relay.routines.file import Routine
from tellonce_relay.routines.schedule import Schedule
from tellonce_relay.routines.texts import Writer
from tellonce_relay.stores import Stores
from tellonce_relay.telegram.attachment_reader import AttachmentReader
from tellonce_relay.telegram.bot_client import make_bot
from tellonce_relay.telegram.message_sender import MessageSender
from tellonce_relay.telegram.transcription import transcriber
from tellonce_relay.turn.agents import Agents
from tellonce_relay.turn.model_call import Persistence
from tellonce_relay.updates.dependencies import Dependencies
from tellonce_relay.updates.inbox import Inbox
from tests.memory_fixtures import Clock, Memory
from tests.patience import HANGS, until
from tests.stubs.telegram_emulator import Telegram, telegram

TOKEN = "999:emulated"
ZONE = ZoneInfo("Asia/Singapore")
USER, GROUP, PERSONAL = 42, -100, -200
BRIEF = Persistence(0.01, 0.02, 0.1, lambda: 1.0)
"""If a model fails, the relay retries for a tenth of a second."""


class Scripted:
    """A responder that gives scripted answers and records the prompts. If a piece of an answer is an exception, it is
    raised; if a piece is an event, the responder waits for it."""

    name = "scripted"
    claims = True

    def __init__(self, *answers: str | Sequence[str | Exception | asyncio.Event]) -> None:
        self.answers = list(answers)
        self.prompts: list[Prompt] = []
        self.kinds: frozenset[FileKind] = frozenset()

    async def reads(self) -> frozenset[FileKind]:
        return self.kinds

    async def answer(self, prompt: Prompt, incoming: Incoming, memory: MemoryClient) -> AsyncIterator[str | Answer]:
        self.prompts.append(prompt)
        said = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        for piece in [said] if isinstance(said, str) else said:
            if isinstance(piece, Exception):
                raise piece
            if isinstance(piece, asyncio.Event):
                await piece.wait()
            else:
                yield piece


class Echo(Scripted):
    """A responder that answers with `before`, waits for `gate` if there is one, and then repeats the message."""

    def __init__(self, gate: asyncio.Event | None = None, *, before: str = "", length: int = 0) -> None:
        super().__init__("")
        self._gate = gate
        self._before = before
        self._length = length

    async def answer(self, prompt: Prompt, incoming: Incoming, memory: MemoryClient) -> AsyncIterator[str | Answer]:
        self.prompts.append(prompt)
        if self._before:
            yield self._before
        if self._gate is not None:
            await self._gate.wait()
        yield f"re {incoming.text}" + " word" * self._length


def texts(api: Telegram) -> list[str]:
    """The current texts of the bot's messages, oldest first."""
    return [str(message["text"]) for message in api.sent]


class Failing(Scripted):
    """A responder that first raises these errors. Then it raises errors with the cause `always`, until `always` is
    None. Before an error, it begins an answer with `before`. Without an error, it repeats the message, or completes the
    answer that it began."""

    def __init__(self, *errors: CannotAnswer, always: Cause | None = None, before: str = "") -> None:
        super().__init__("")
        self._errors = list(errors)
        self._before = before
        self.always = always

    async def answer(self, prompt: Prompt, incoming: Incoming, memory: MemoryClient) -> AsyncIterator[str | Answer]:
        self.prompts.append(prompt)
        if self._errors or self.always is not None:
            if self._before and not prompt.begun:
                yield self._before
            raise self._errors.pop(0) if self._errors else down(self.always or "away")
        yield "the rest." if prompt.begun else f"re {incoming.text}"


def down(cause: Cause = "away") -> CannotAnswer:
    return CannotAnswer("all models: down", cause)


def settings(**more: Any) -> RelaySettings:
    """Settings of a test, which do not depend on the settings of this machine."""
    own: dict[str, Any] = {
        "user_ids": (USER, 43),
        "groups": (GROUP,),
        "personal_groups": (PERSONAL,),
        "timezone": ZONE.key,
    }
    own |= {"always_groups": (GROUP,), "breath_seconds": 0}
    return RelaySettings.model_validate({"_env_file": None, **own, **more})


def schedule(e: Dependencies, routines: Sequence[Routine]) -> Schedule:
    """The schedule of these routines in the user's private chat. It uses the dependencies `e` of the relay."""
    memory, responder = e.command_context.memory, e.command_context.responder
    delivery = DeliveryContext(e.sender, memory, e.stores, e.zone, now=e.now)
    return Schedule(tuple(routines), Writer(memory, responder, e.zone), delivery, e.agents, USER)


@asynccontextmanager
async def relaying(
    memory: Memory,
    responder: Responder | None = None,
    *,
    agents: Agents | None = None,
    state: Path | None = None,
    routines: Sequence[Routine] = (),
    clock: Clock | None = None,
    api: Telegram | None = None,
    client: MemoryClient | None = None,
    killed: bool = False,
    profile: str = "",
    own: dict[str, Any] | None = None,
    emit: Emit = silent,
    owed_pauses: tuple[float, float] = (0.01, 0.02),
    persistence: Persistence = BRIEF,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> AsyncIterator[Telegram]:
    """The emulated Telegram of a running relay.

    `state` is a folder that outlives the relay, `profile` is the default user's profile, and `own` are settings. The
    function `sleep` makes the pauses that Telegram or a model requests. With `killed`, the relay ends at once without
    acknowledging updates. Only the relay's files remain, as after a real kill.
    """
    scratch = tempfile.TemporaryDirectory(prefix="relay-")
    own_settings, stop, state = settings(**(own or {})), asyncio.Event(), state or Path(scratch.name)
    zone = ZoneInfo(own_settings.timezone)
    async with (
        nullcontext(api) if api is not None else telegram() as seen,
        memory.relay() as real,
        memory.agent() as agent,
        make_bot(TOKEN, seen.url) as bot,
    ):
        stores = Stores(state)
        command_context = CommandContext(client or real, responder or OfflineResponder(zone), zone, agent.queue_status)
        now: dict[str, Any] = {"now": clock} if clock is not None else {}
        dependencies = Dependencies(
            bot=bot,
            settings=own_settings,
            profile=profile,
            sender=MessageSender(bot, stores.moved, newest=stores.newest, scripts=stores.scripts, sleep=sleep),
            command_context=command_context,
            agents=agents or Agents({}),
            inbox=Inbox(state / "inbox"),
            stores=stores,
            emit=emit,
            attachment_reader=AttachmentReader(bot, transcriber(own_settings.transcribe)),
            persistence=persistence,
            sleep=sleep,
            owed_pauses=owed_pauses,
            away_seconds=0,
            drain_seconds=0 if killed else HANGS,
            **now,
        )
        assert await introduce(bot, own_settings, stop)
        running = asyncio.create_task(relay(dependencies, schedule(dependencies, routines), stop))
        try:
            yield seen
        finally:
            if killed:
                running.cancel()
            stop.set()
            await asyncio.gather(running, return_exceptions=killed)
            scratch.cleanup()


async def until_recorded(memory: Memory, shown: dict[str, Any]) -> None:
    """Wait until the memory has the answer `shown`. The relay sends an answer first and records it afterwards."""
    args = ExplainArgs(message_id=str(shown["message_id"]), chat_id=shown["chat"]["id"])
    async with memory.relay() as client:

        async def recorded() -> bool:
            with suppress(MemoryRefused):
                return bool(await client.explain(args))
            return False

        await until(recorded)
