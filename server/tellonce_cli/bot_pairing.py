"""Connects a Telegram bot with its user when `up` starts. It shows a link that works once, and writes the id of the
user who opens it to `.env`."""

import asyncio
from pathlib import Path

from telegram import User
from telegram.error import TelegramError

from tellonce.client_settings import RelaySettings
from tellonce_cli.screen import console
from tellonce_relay.telegram.application import make_bot
from tellonce_relay.updates.pairing import offer, paired

ENV = Path(".env")
VARIABLE = "TELEGRAM_USER_ID"


async def offered(settings: RelaySettings, stop: asyncio.Event) -> User | None:
    """Show the link and wait for the user who opens it. None if no link is needed or the bot cannot offer one."""
    if settings.bot_token is None or settings.user_ids:
        return None
    try:
        async with make_bot(settings.bot_token.get_secret_value(), settings.bot_api_url) as bot:
            pairing = await offer(bot)
            console.print(
                f"Telegram: open {pairing.link} on your phone and tap Start, or send your bot: /start {pairing.code}",
                soft_wrap=True,
            )
            return await paired(pairing, stop)
    except TelegramError as error:
        console.print(f"Telegram: the bot cannot be connected ({error}). Check TELEGRAM_BOT_TOKEN.", style="yellow")
        return None


def keep_user(user: User, file: Path = ENV) -> str:
    """Append the user's id to the file, and return the message that reports it."""
    before = file.read_text() if file.exists() else ""
    gap = "" if not before or before.endswith("\n") else "\n"
    is_new = not file.exists()
    with file.open("a") as out:
        out.write(f"{gap}{VARIABLE}={user.id}\n")
    if is_new:
        file.chmod(0o600)
    return f"Connected with {user.first_name} ({user.id}); {VARIABLE} is now in {file.absolute()}. Starting again …"
