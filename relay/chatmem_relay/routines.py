"""Messages nobody asked for: sent first, then recorded in full with a short form for the window."""

import asyncio
import re
import sys
from datetime import UTC, datetime

from telegram import Bot
from telegram.error import TelegramError

from chatmem import contract as c
from chatmem.client import MemoryClient, MemoryRefused, MemoryUnreachable
from chatmem.connect import connect_http
from chatmem.settings import RelaySettings, SettingsError, load
from chatmem_llm import LLMError
from chatmem_relay.chat_surface import ChatSurface
from chatmem_relay.responders.choose import summariser
from chatmem_relay.telegram_bot import make_bot

SUMMARY_SECONDS = 8.0
FALLBACK_CHARACTERS = 300
_SENTENCES = re.compile(r"(?<=[.!?])\s+")
ASK = "Summarise this message in two or three plain sentences. Only the summary, no introduction.\n\n{text}"


async def send_and_record(
    bot: Bot, memory: MemoryClient, chat_id: int, text: str, *, routine: str, agent: str | None, settings: RelaySettings
) -> c.RecordedMessage:
    """Telegram gets the whole text; the memory gets it with its summary."""
    ids = await ChatSurface(bot, chat_id, None).send(text)
    return await memory.record_message(
        c.RecordMessageArgs(
            role="assistant",
            content=text,
            chat_id=chat_id,
            message_id=ids[0],
            sent_at=datetime.now(UTC),
            routine=routine,
            summary=await summarised(text, settings),
            agent_id=agent,
        )
    )


async def summarised(text: str, settings: RelaySettings) -> str:
    """Two or three sentences by the local model within eight seconds; else the first 300 characters."""
    model = summariser(settings, SUMMARY_SECONDS)
    if model is not None:
        try:
            async with asyncio.timeout(SUMMARY_SECONDS):
                said = (await model(ASK.format(text=text))).strip()
            if said and len(said) < len(text) and not text.startswith(said):
                return " ".join(_SENTENCES.split(said)[:3])
        except (LLMError, TimeoutError):
            pass
    return text[:FALLBACK_CHARACTERS]


def send_once(chat_id: int, routine: str, agent: str | None, text: str) -> int:
    """For scripts: send, record, end. 0 when both were done."""
    settings = load(RelaySettings)
    if settings.bot_token is None:
        raise SettingsError("TELEGRAM_BOT_TOKEN is not set; @BotFather on Telegram gives you one.")
    return asyncio.run(_send_once(settings, settings.bot_token.get_secret_value(), chat_id, routine, agent, text))


async def _send_once(
    settings: RelaySettings, token: str, chat_id: int, routine: str, agent: str | None, text: str
) -> int:
    async with (
        connect_http(settings.url, settings.bearer("relay")) as memory,
        make_bot(token, settings.bot_api_url) as bot,
    ):
        try:
            await send_and_record(bot, memory, chat_id, text, routine=routine, agent=agent, settings=settings)
        except TelegramError as error:
            sys.stderr.write(f"not sent: {error}\n")
            return 1
        except (MemoryUnreachable, MemoryRefused) as error:
            sys.stderr.write(f"sent, but not recorded: {error}\n")
            return 1
    return 0
