"""`python -m chatmem_relay`: the Telegram relay as a process of its own."""

import asyncio
import logging
import signal
import sys

from chatmem import lifeline
from chatmem.connect import connect_http
from chatmem.settings import RelaySettings, SettingsError, load
from chatmem_relay.bot import Relay
from chatmem_relay.responders.choose import choose
from chatmem_relay.telegram_bot import make_bot


def main() -> None:
    """Reads the settings and relays until SIGTERM or SIGINT."""
    lifeline.watch()
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s")
    try:
        asyncio.run(serve(load(RelaySettings)))
    except SettingsError as error:
        sys.exit(str(error))


async def serve(settings: RelaySettings, stop: asyncio.Event | None = None) -> None:
    """Relay until `stop` is set or the process is told to end."""
    if settings.bot_token is None:
        raise SettingsError("TELEGRAM_BOT_TOKEN is not set; @BotFather on Telegram gives you one.")
    if not settings.user_ids:
        raise SettingsError(
            "TELEGRAM_USER_ID is not set, so nobody may talk; @userinfobot on Telegram tells you yours."
        )
    stop = stop or _stopped_by_signals()
    async with (
        connect_http(settings.url, settings.bearer("relay")) as memory,
        make_bot(settings.bot_token.get_secret_value(), settings.bot_api_url) as bot,
    ):
        await Relay(bot, memory, choose(settings), settings).run(stop)


def _stopped_by_signals() -> asyncio.Event:
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    return stop


if __name__ == "__main__":
    main()
