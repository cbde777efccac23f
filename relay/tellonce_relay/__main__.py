"""`python -m tellonce_relay`: the Telegram relay as a separate process."""

import asyncio
import logging
import sys

from telegram.error import InvalidToken

from tellonce import logs, shutdown
from tellonce.client_settings import RelaySettings
from tellonce.settings import SettingsError, load
from tellonce_relay.process import serve

UNKNOWN_BOT = (
    "Telegram does not know this bot: TELEGRAM_BOT_TOKEN is wrong or was revoked; @BotFather gives you a new one."
)


def main() -> None:
    """Read the settings and relay until SIGTERM or SIGINT."""
    shutdown.watch_parent()
    logs.begin()
    # The request log of python-telegram-bot contains the bot's token in every URL.
    logging.getLogger("httpx").setLevel(logging.WARNING)
    try:
        settings = load(RelaySettings)
        logs.follow(settings, "relay")
        asyncio.run(serve(settings))
    except SettingsError as error:
        sys.exit(str(error))
    except InvalidToken:
        sys.exit(UNKNOWN_BOT)


if __name__ == "__main__":
    main()
