"""Runs each routine when its cron expression is due. A routine that fails or takes long does not affect others."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from tellonce import tracing
from tellonce.client import MemoryRefused, MemoryUnreachable
from tellonce.shutdown import pause_or_stop
from tellonce_relay.catalogue import language_of, use_language
from tellonce_relay.cron import next_due
from tellonce_relay.routines.built_in_routines import NothingToSend
from tellonce_relay.routines.delivery import DeliveryContext, Post, send_and_record
from tellonce_relay.routines.file import Routine
from tellonce_relay.routines.texts import Writer, text_of
from tellonce_relay.turn.agents import Agents
from tellonce_relay.turn.turn import NotShown

logger = logging.getLogger(__name__)

LONGEST_NAP = timedelta(minutes=1)
"""Maximum pause between two checks of the clock. A check notices that the clock was changed or that the machine was
asleep."""

LATE = timedelta(minutes=15)
"""A routine that is late by more than this time is skipped: nobody wants the morning summary at noon."""

Pause = Callable[[asyncio.Event, float], Awaitable[bool]]


@dataclass(frozen=True)
class Schedule:
    """The routines and their dependencies. `home` is the chat of routines that name no chat."""

    routines: tuple[Routine, ...]
    writer: Writer
    delivery: DeliveryContext
    agents: Agents
    home: int


async def run_schedule(schedule: Schedule, stop: asyncio.Event, pause: Pause = pause_or_stop) -> None:
    """Run until stopped. Routines that were due while no relay ran are skipped."""
    seen, running = schedule.delivery.now(), dict[str, asyncio.Task[None]]()
    async with asyncio.TaskGroup() as group:
        while not stop.is_set():
            now = schedule.delivery.now()
            for due, routine in due_between(schedule, seen, now):
                last = running.get(routine.name)
                if now - due <= LATE and (last is None or last.done()):
                    running[routine.name] = group.create_task(run_routine(schedule, routine))
            seen = max(seen, now)
            await pause(stop, _nap(schedule, schedule.delivery.now()))


def due_between(schedule: Schedule, after: datetime, until: datetime) -> list[tuple[datetime, Routine]]:
    """The routines that are due in `(after, until]`, sorted by their times. Each routine is listed at most once."""
    found = [(due, r) for r in schedule.routines if (due := _due(schedule, r, after)) is not None and due <= until]
    return sorted(found, key=lambda pair: pair[0])


async def run_routine(schedule: Schedule, routine: Routine) -> None:
    """Run a routine once, now."""
    chat = routine.chat if routine.chat is not None else schedule.home
    with tracing.traced(routine.name), use_language(language_of(schedule.delivery.stores.languages.get(str(chat)))):
        await _run(schedule, routine)


async def _run(schedule: Schedule, routine: Routine) -> None:
    chat = routine.chat if routine.chat is not None else schedule.home
    if schedule.delivery.sender.is_closed(schedule.delivery.stores.moved.telegram_chat(chat)):
        logger.info("%s is skipped: chat %s accepts no messages from the bot", routine.name, chat)
        return
    agent = schedule.agents.named(routine.agent)
    try:
        text = await text_of(schedule.writer, routine, chat, agent.prompt, schedule.delivery.now())
        await send_and_record(schedule.delivery, Post(text, chat, routine.name, agent.id, routine.thread))
    except NothingToSend as reason:
        logger.info("%s sends nothing: %s", routine.name, reason)
    except (NotShown, MemoryUnreachable, MemoryRefused) as error:
        logger.warning("%s failed: %s", routine.name, error)
        schedule.delivery.emit("routine_failed", routine=routine.name, reason=type(error).__name__)
    except Exception as error:
        logger.exception("%s failed", routine.name)
        schedule.delivery.emit("routine_failed", routine=routine.name, reason=type(error).__name__)


def _due(schedule: Schedule, routine: Routine, after: datetime) -> datetime | None:
    return next_due(routine.cron, after, schedule.writer.zone)


def _nap(schedule: Schedule, now: datetime) -> float:
    dues = [due for routine in schedule.routines if (due := _due(schedule, routine, now)) is not None]
    return min([LONGEST_NAP, *(due - now for due in dues)]).total_seconds() + 0.01
