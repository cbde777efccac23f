"""Runs each routine when its cron expression is due. A routine that fails or takes long does not affect others."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from tellonce import tracing
from tellonce.client import MemoryRefused, MemoryUnreachable
from tellonce.shutdown import pause_or_stop
from tellonce_relay.catalogue import language_of, speaking
from tellonce_relay.cron import next_due
from tellonce_relay.routines.built_in_routines import NothingToSend
from tellonce_relay.routines.delivery import Post, Sender, send_and_record
from tellonce_relay.routines.file import Routine
from tellonce_relay.routines.texts import Writer, text_of
from tellonce_relay.turn.agents import Agents
from tellonce_relay.turn.turn import NotShown

logger = logging.getLogger(__name__)

LONGEST_NAP = timedelta(minutes=1)
"""Maximum pause between checks of the clock, so that a changed clock, or the sleep of the machine, is noticed."""

LATE = timedelta(minutes=15)
"""A routine that is late by more than this time is skipped: nobody wants the morning summary at noon."""

Pause = Callable[[asyncio.Event, float], Awaitable[bool]]


@dataclass(frozen=True)
class Programme:
    """The routines and their dependencies. `home` is the chat of routines that name no chat."""

    routines: tuple[Routine, ...]
    writer: Writer
    sender: Sender
    agents: Agents
    home: int


async def keep(programme: Programme, stop: asyncio.Event, pause: Pause = pause_or_stop) -> None:
    """Run until stopped, and then wait until the running routines have ended. Routines that were due while no relay ran
    are skipped. Routines run concurrently, so that a long routine does not delay others."""
    seen, running = programme.sender.now(), dict[str, asyncio.Task[None]]()
    async with asyncio.TaskGroup() as group:
        while not stop.is_set():
            now = programme.sender.now()
            for due, routine in due_between(programme, seen, now):
                last = running.get(routine.name)
                if now - due <= LATE and (last is None or last.done()):
                    running[routine.name] = group.create_task(run(programme, routine))
            seen = max(seen, now)
            await pause(stop, _nap(programme, programme.sender.now()))


def due_between(programme: Programme, after: datetime, until: datetime) -> list[tuple[datetime, Routine]]:
    """The routines that are due after `after` and not after `until`, in the order of their times, each at most once."""
    found = [(due, r) for r in programme.routines if (due := _due(programme, r, after)) is not None and due <= until]
    return sorted(found, key=lambda pair: pair[0])


async def run(programme: Programme, routine: Routine) -> None:
    """Run a routine once, now."""
    chat = routine.chat if routine.chat is not None else programme.home
    with tracing.traced(routine.name), speaking(language_of(programme.sender.stores.languages.get(str(chat)))):
        await _run(programme, routine)


async def _run(programme: Programme, routine: Routine) -> None:
    chat = routine.chat if routine.chat is not None else programme.home
    if programme.sender.outbox.is_closed(programme.sender.stores.moved.telegram_chat(chat)):
        logger.info("%s is skipped: chat %s accepts no messages from the bot", routine.name, chat)
        return
    agent = programme.agents.named(routine.agent)
    try:
        text = await text_of(programme.writer, routine, chat, agent.prompt, programme.sender.now())
        await send_and_record(programme.sender, Post(text, chat, routine.name, agent.id, routine.thread))
    except NothingToSend as reason:
        logger.info("%s sends nothing: %s", routine.name, reason)
    except (NotShown, MemoryUnreachable, MemoryRefused) as error:
        logger.warning("%s failed: %s", routine.name, error)
        programme.sender.emit("routine_failed", routine=routine.name, reason=type(error).__name__)
    except Exception as error:
        logger.exception("%s failed", routine.name)
        programme.sender.emit("routine_failed", routine=routine.name, reason=type(error).__name__)


def _due(programme: Programme, routine: Routine, after: datetime) -> datetime | None:
    return next_due(routine.cron, after, programme.writer.zone)


def _nap(programme: Programme, now: datetime) -> float:
    dues = [due for routine in programme.routines if (due := _due(programme, routine, now)) is not None]
    return min([LONGEST_NAP, *(due - now for due in dues)]).total_seconds() + 0.01
