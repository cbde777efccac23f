"""Builds the relay from the settings and runs it: the updates, the schedule, and an orderly shutdown."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from zoneinfo import ZoneInfo

from telegram import Bot, BotCommand
from telegram.error import BadRequest, InvalidToken, TelegramError

from tellonce.client_settings import RelaySettings, relays_token
from tellonce.connect import connect_http
from tellonce.file_lock import try_hold
from tellonce.journal import Emit, journal
from tellonce.settings import SettingsError
from tellonce.shutdown import Stopped, pause_or_stop, shutdown_requested, unless_stopped
from tellonce.side_tasks import SideTask, SideTasks
from tellonce.work import QueueStatus
from tellonce_relay.catalogue import LANGUAGES, command_description, use_language
from tellonce_relay.command_table import MENU
from tellonce_relay.commands.answers import CommandContext
from tellonce_relay.responders.selection import choose, summariser
from tellonce_relay.routines.alarms import Alarms
from tellonce_relay.routines.delivery import DeliveryContext
from tellonce_relay.routines.file import load_routines
from tellonce_relay.routines.schedule import Schedule, run_schedule
from tellonce_relay.routines.texts import Writer
from tellonce_relay.stores import Stores
from tellonce_relay.telegram.attachment_reader import AttachmentReader
from tellonce_relay.telegram.bot_client import make_bot
from tellonce_relay.telegram.message_sender import MessageSender
from tellonce_relay.telegram.transcription import transcriber
from tellonce_relay.turn.agents import Agents, load_agents
from tellonce_relay.updates.bot import Relay
from tellonce_relay.updates.dependencies import Dependencies
from tellonce_relay.updates.inbox import Inbox
from tellonce_relay.updates.polling import FIRST_PAUSE, KINDS, LONGEST_PAUSE, poll
from tellonce_relay.updates.webhook import serve_webhook

logger = logging.getLogger(__name__)


async def serve(settings: RelaySettings, stop: asyncio.Event | None = None) -> None:
    """Run the relay until `stop` is set or a signal arrives. Raises SettingsError and InvalidToken."""
    token, emit = relays_token(settings), journal("relay", settings)
    responder, agents = choose(settings, emit), load_agents(settings.config_dir)
    routines, bearer = load_routines(settings.config_dir), settings.bearer("relay")
    for name, mistake in routines.mistakes.items():
        logger.warning("the routine %s is skipped, because of a mistake in its file: %s", name, mistake)
    folder = settings.data_dir / "relay"
    stop = stop or shutdown_requested()
    async with _alone(folder), make_bot(token, settings.bot_api_url) as bot:
        if not await introduce(bot, settings, stop):
            return
        async with (
            connect_http(settings.url, bearer) as memory,
            _queue_status(settings) as queue,
        ):
            stores, zone = Stores(folder), ZoneInfo(settings.timezone)
            context = CommandContext(
                memory, responder, zone, queue, routines.valid, invalid_routines=tuple(routines.mistakes)
            )
            dependencies = _dependencies(settings, bot, context, agents, stores, emit)
            await relay(dependencies, _schedule(dependencies), stop)


async def relay(dependencies: Dependencies, schedule: Schedule, stop: asyncio.Event) -> None:
    """Handle updates and run the schedule until `stop` is set; then let running turns end."""
    bot = Relay(dependencies)
    alarms = Alarms(schedule.delivery, f"telegram:{dependencies.bot.id}", dependencies.wake_alarms)
    try:
        await unless_stopped(stop, alarms.settle())
        await unless_stopped(stop, bot.resume())
    except Stopped:
        return
    tasks = (
        SideTask("schedule", lambda: run_schedule(schedule, stop), ends=True),
        SideTask("reminders", lambda: alarms.run(stop), ends=True),
    )
    async with SideTasks(tasks).running() as side_tasks:
        try:
            await _receive(dependencies, bot, stop)
        finally:
            stop.set()
            # The schedule may have sent a routine's message just now. This message must still be recorded.
            await asyncio.gather(bot.drain(), side_tasks.ended(dependencies.drain_seconds))


async def introduce(bot: Bot, settings: RelaySettings, stop: asyncio.Event) -> bool:
    """Fetch the bot's identity, and set its menu. Returns False if `stop` is set before this succeeds."""
    pause = FIRST_PAUSE
    while True:
        try:
            await bot.get_me()
            await _set_menu(bot)
            await _set_webhook(bot, settings)
        except InvalidToken:
            raise
        except BadRequest as error:
            # The error is about our settings, such as the webhook's address. Its message contains no text of a person.
            logger.warning("Telegram rejects a setting; correct it: %s", error.message)
        except TelegramError as error:
            logger.warning("Telegram does not answer, retrying: %s", error)
        else:
            return True
        if not await pause_or_stop(stop, pause):
            return False
        pause = min(LONGEST_PAUSE, pause * 2)


async def _set_menu(bot: Bot) -> None:
    for language in LANGUAGES:
        with use_language(language):
            menu = [BotCommand(name, command_description(name)) for name in MENU]
        await bot.set_my_commands(menu, language_code=None if language == "en" else language)


async def _set_webhook(bot: Bot, settings: RelaySettings) -> None:
    if settings.webhook.url is None:
        await bot.delete_webhook()
        return
    secret = settings.webhook.secret_text
    await bot.set_webhook(settings.webhook.url, secret_token=secret, allowed_updates=KINDS, max_connections=1)


async def _receive(dependencies: Dependencies, bot: Relay, stop: asyncio.Event) -> None:
    webhook = dependencies.settings.webhook
    if webhook.url is None:
        await poll(dependencies.bot, bot, stop)
        return
    assert webhook.secret is not None  # checked by relays_token
    secret = webhook.secret.get_secret_value()
    await serve_webhook(dependencies.bot, bot, webhook.url, webhook.port, secret, stop)


@asynccontextmanager
async def _alone(folder: Path) -> AsyncGenerator[None]:
    """Two relays would send the same unsent answers. Raises SettingsError."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    lock = try_hold(folder / "lock")
    if lock is None:
        raise SettingsError(f"Another relay uses {folder}; stop it first.")
    try:
        yield
    finally:
        lock.release()


@asynccontextmanager
async def _queue_status(settings: RelaySettings) -> AsyncGenerator[Callable[[], Awaitable[QueueStatus]] | None]:
    """Yields None if this machine does not have the agent's token."""
    try:
        token = settings.bearer("agent")
    except SettingsError:
        yield None
        return
    async with connect_http(settings.url, token, attempts=1) as agent:
        yield agent.queue_status


def _dependencies(
    settings: RelaySettings, bot: Bot, context: CommandContext, agents: Agents, stores: Stores, emit: Emit
) -> Dependencies:
    profile = settings.config_dir / "profile.md"
    return Dependencies(
        bot=bot,
        settings=settings,
        sender=MessageSender(bot, stores.moved, newest=stores.newest, scripts=stores.scripts),
        command_context=context,
        agents=agents,
        inbox=Inbox(settings.data_dir / "relay" / "inbox"),
        stores=stores,
        attachment_reader=AttachmentReader(bot, transcriber(settings.transcribe)),
        profile=profile.read_text() if profile.exists() else "",
        emit=emit,
    )


def _schedule(e: Dependencies) -> Schedule:
    context = e.command_context
    return Schedule(
        routines=context.routines,
        writer=Writer(context.memory, context.responder, context.zone, e.settings.user_name, e.profile_at),
        delivery=DeliveryContext(
            e.sender, context.memory, e.stores, context.zone, summariser(e.settings), e.now, e.emit
        ),
        agents=e.agents,
        home=e.settings.default_user,
    )
