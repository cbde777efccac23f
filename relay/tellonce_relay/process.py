"""The relay put together from the settings, and run: updates in, the schedule kept, an orderly end."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from zoneinfo import ZoneInfo

from filelock import FileLock, Timeout
from telegram import Bot, BotCommand
from telegram.error import BadRequest, InvalidToken, TelegramError

from tellonce.client import MemoryClient
from tellonce.connect import connect_http
from tellonce.ending import told_to_end
from tellonce.journal import Emit, journal
from tellonce.settings import RelaySettings, SettingsError
from tellonce.side_tasks import SideTask, SideTasks
from tellonce_relay import commands
from tellonce_relay.agents import Agents, load_agents
from tellonce_relay.answers import Desk
from tellonce_relay.bot import Relay
from tellonce_relay.bot_token import relays_token
from tellonce_relay.equipment import Equipment
from tellonce_relay.inbox import Inbox
from tellonce_relay.notebook import Notebook
from tellonce_relay.outbox import Outbox
from tellonce_relay.polling import FIRST_PAUSE, KINDS, LONGEST_PAUSE, poll
from tellonce_relay.responders.choose import choose, summariser
from tellonce_relay.responders.responder import Responder
from tellonce_relay.routines.file import Routine, load_routines
from tellonce_relay.routines.schedule import Programme, keep
from tellonce_relay.routines.sending import Sender, message_parts, moved_groups
from tellonce_relay.routines.short_form import SUMMARY_SECONDS
from tellonce_relay.routines.texts import Writer
from tellonce_relay.senses import Senses
from tellonce_relay.stop import Stopped, pause_or_stop, unless_stopped
from tellonce_relay.telegram_bot import make_bot
from tellonce_relay.transcription import transcriber
from tellonce_relay.webhook import serve_webhook

logger = logging.getLogger(__name__)


async def serve(settings: RelaySettings, stop: asyncio.Event | None = None) -> None:
    """Relay until `stop` is set or the process is told to end. Raises SettingsError and InvalidToken.

    Whatever may be wrong with the settings shows before the memory is connected: an exception that leaves that
    connection would come out wrapped.
    """
    token, emit = relays_token(settings), journal("relay", settings)
    responder, agents = choose(settings, emit), load_agents(settings.config_dir)
    routines, bearer = load_routines(settings.config_dir), settings.bearer("relay")
    stop = stop or told_to_end()
    async with _alone(settings.data_dir / "relay"), make_bot(token, settings.bot_api_url) as bot:
        if not await introduce(bot, settings, stop):
            return
        async with connect_http(settings.url, bearer) as memory, _desk(settings, memory, responder) as desk:
            equipment = _equipment(settings, bot, desk, agents, emit)
            await relay(equipment, _programme(equipment, routines), stop)


async def relay(equipment: Equipment, programme: Programme, stop: asyncio.Event) -> None:
    """Deal with updates and keep the schedule until told to stop; then let turns under way end."""
    bot = Relay(equipment)
    try:
        await unless_stopped(stop, bot.resume())
    except Stopped:
        return
    async with SideTasks((SideTask("schedule", lambda: keep(programme, stop), ends=True),)).running() as schedule:
        try:
            await _receive(equipment, bot, stop)
        finally:
            stop.set()
            # A routine that was just sent is to be recorded too.
            await asyncio.gather(bot.drain(), schedule.ended(equipment.drain_seconds))


async def introduce(bot: Bot, settings: RelaySettings, stop: asyncio.Event) -> bool:
    """Learn who we are, set the menu and the way updates come; tried until it works, or False when told to stop."""
    pause = FIRST_PAUSE
    while True:
        try:
            await bot.get_me()
            await bot.set_my_commands([BotCommand(name, text) for name, text in commands.MENU])
            await _set_webhook(bot, settings)
        except InvalidToken:
            raise
        except BadRequest as error:
            # About our settings, such as the webhook's address: nobody's words are in it.
            logger.warning("Telegram refuses what the settings say: %s", error.message)
        except TelegramError as error:
            logger.warning("Telegram does not answer: %s", error)
        else:
            return True
        if not await pause_or_stop(stop, pause):
            return False
        pause = min(LONGEST_PAUSE, pause * 2)


async def _set_webhook(bot: Bot, settings: RelaySettings) -> None:
    if settings.webhook_url is None:
        await bot.delete_webhook()
        return
    secret = settings.webhook_secret.get_secret_value() if settings.webhook_secret else None
    await bot.set_webhook(settings.webhook_url, secret_token=secret, allowed_updates=KINDS, max_connections=1)


async def _receive(equipment: Equipment, bot: Relay, stop: asyncio.Event) -> None:
    settings = equipment.settings
    if settings.webhook_url is None:
        await poll(equipment.bot, bot, stop)
        return
    assert settings.webhook_secret is not None  # relays_token
    secret = settings.webhook_secret.get_secret_value()
    await serve_webhook(equipment.bot, bot, settings.webhook_url, settings.webhook_port, secret, stop)


@asynccontextmanager
async def _alone(folder: Path) -> AsyncGenerator[None]:
    """Two relays on one folder would both make up for what the last one owed. Raises SettingsError."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    lock = FileLock(folder / "lock")
    try:
        lock.acquire(blocking=False)
    except Timeout:
        raise SettingsError(f"Another relay runs on {folder}; stop it first.") from None
    try:
        yield
    finally:
        lock.release()


@asynccontextmanager
async def _desk(settings: RelaySettings, memory: MemoryClient, responder: Responder) -> AsyncGenerator[Desk]:
    """`/status` asks the queue where this machine has the agent's token."""
    desk = Desk(memory, responder, ZoneInfo(settings.timezone))
    try:
        token = settings.bearer("agent")
    except SettingsError:
        yield desk
        return
    async with connect_http(settings.url, token, attempts=1) as agent:
        yield replace(desk, queue=agent.queue_status)


def _equipment(settings: RelaySettings, bot: Bot, desk: Desk, agents: Agents, emit: Emit) -> Equipment:
    folder, moved = settings.data_dir / "relay", moved_groups(settings)
    profile = settings.config_dir / "profile.md"
    return Equipment(
        bot=bot,
        settings=settings,
        outbox=Outbox(bot, moved),
        desk=desk,
        agents=agents,
        inbox=Inbox(folder / "inbox"),
        moved=moved,
        parts=message_parts(settings),
        asked=Notebook(folder / "asked.json"),
        senses=Senses(bot, transcriber(settings)),
        told=Notebook(folder / "told.json"),
        profile=profile.read_text() if profile.exists() else "",
        emit=emit,
    )


def _programme(e: Equipment, routines: tuple[Routine, ...]) -> Programme:
    zone = ZoneInfo(e.settings.timezone)
    return Programme(
        routines=routines,
        writer=Writer(e.desk.memory, e.desk.responder, zone, e.settings.user_name, e.profile_at),
        sender=Sender(
            e.outbox, e.desk.memory, e.moved, zone, e.parts, summariser(e.settings, SUMMARY_SECONDS), e.now, e.emit
        ),
        agents=e.agents,
        home=e.settings.default_user,
        emit=e.emit,
    )
