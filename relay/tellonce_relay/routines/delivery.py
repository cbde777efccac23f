"""Sends proactive messages and then records each message in full, with a short form for the window."""

import asyncio
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from pydantic import ValidationError

from tellonce import contract as c
from tellonce import tracing
from tellonce.client import MemoryClient, MemoryRefused, MemoryUnreachable
from tellonce.client_settings import RelaySettings, bot_token
from tellonce.connect import connect_http
from tellonce.journal import Emit, journal, silent, timed
from tellonce.reminders import ListRemindersArgs
from tellonce.settings import load
from tellonce_relay.memory_outage import with_retries
from tellonce_relay.responders.selection import summariser
from tellonce_relay.routines.texts import Model, shortened
from tellonce_relay.stores import Stores
from tellonce_relay.telegram.bot_client import make_bot
from tellonce_relay.telegram.chat_surface import ChatSurface
from tellonce_relay.telegram.message_sender import Address, MessageSender
from tellonce_relay.telegram.messages import CHANNEL
from tellonce_relay.turn.turn import NotShown, invalid_text

SEND_TRIES = 5
"""Maximum number of attempts to send a script's message. The relay itself retries until Telegram is available."""


@dataclass(frozen=True)
class Post:
    """A routine message: its text, chat and agent."""

    text: str
    chat_id: int
    routine: str
    agent: str | None = None
    thread_id: int | None = None


@dataclass(frozen=True)
class DeliveryContext:
    """The dependencies of sending and recording proactive messages. `model` writes the short form."""

    sender: MessageSender
    memory: MemoryClient
    stores: Stores
    zone: ZoneInfo
    model: Model | None = None
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    emit: Emit = silent


async def send_and_record(delivery: DeliveryContext, post: Post) -> c.RecordedMessage:
    """Send the whole text, then record it with its summary. Raises NotShown if nothing was sent or recorded. Raises
    MemoryUnreachable or MemoryRefused if the text was sent but not recorded."""
    args = _to_record(post)
    stores, chat = delivery.stores, delivery.stores.moved.telegram_chat(post.chat_id)
    surface = ChatSurface(
        delivery.sender, Address(chat, post.thread_id), external_id=lambda n: stores.moved.sent_id(chat, n)
    )
    with timed(delivery.emit, "routine_sent", routine=post.routine) as found:
        ids = await surface.send(post.text)
    for part in ids[1:]:
        stores.parts.put(f"{post.chat_id}:{part}", ids[0])
        found["messages"] = len(ids)
    sent_at = delivery.now().astimezone(delivery.zone)
    summary = await shortened(post.text, delivery.model, delivery.emit)
    whole = args.model_copy(update={"message_id": ids[0], "sent_at": sent_at, "summary": summary})
    with timed(delivery.emit, "routine_recorded", routine=post.routine):
        return await with_retries(lambda: delivery.memory.record_message(whole))


def _to_record(post: Post) -> c.RecordMessageArgs:
    """Checked before sending: after a later error, the caller's script would run again and send twice."""
    try:
        return c.RecordMessageArgs(
            role="assistant",
            content=post.text,
            chat_id=post.chat_id,
            message_thread_id=post.thread_id,
            channel=CHANNEL,
            routine=post.routine,
            agent_id=post.agent,
        )
    except ValidationError as error:
        raise NotShown(invalid_text(error)) from None


def send_once(chat_id: int, routine: str, agent: str | None, text: str) -> int:
    """Send and record the message, for scripts. Returns the exit code 0 if both succeeded, else 1."""
    settings = load(RelaySettings)
    return asyncio.run(_send_once(settings, bot_token(settings), Post(text, chat_id, routine, agent)))


async def _may_send(memory: MemoryClient, chat_id: int) -> None:
    """Raises NotShown if the memory refuses calls for the chat, so that nothing is sent to strangers."""
    try:
        await memory.list_reminders(ListRemindersArgs(chat_id=chat_id))
    except MemoryRefused as error:
        raise NotShown(str(error)) from None
    except MemoryUnreachable:
        return


async def _send_once(settings: RelaySettings, token: str, post: Post) -> int:
    async with (
        connect_http(settings.url, settings.bearer("relay")) as memory,
        make_bot(token, settings.bot_api_url) as bot,
    ):
        stores, model = Stores(settings.data_dir / "relay"), summariser(settings)
        sender, emit = (
            MessageSender(bot, stores.moved, tries=SEND_TRIES, scripts=stores.scripts),
            journal("send", settings),
        )
        delivery = DeliveryContext(sender, memory, stores, ZoneInfo(settings.timezone), model, emit=emit)
        try:
            with tracing.traced("send"):
                await _may_send(memory, post.chat_id)
                await send_and_record(delivery, post)
        except NotShown as error:
            fix = ". `tellonce doctor --online` tests the bot token and the connection." if error.__cause__ else ""
            sys.stderr.write(f"not sent: {error}{fix}\n")
            return 1
        except (MemoryUnreachable, MemoryRefused) as error:
            sys.stderr.write(f"sent, but not recorded: {error}\n")
            return 1
    return 0
