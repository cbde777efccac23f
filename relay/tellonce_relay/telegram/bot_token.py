"""The bot's token, for scripts and for the relay, which needs more settings."""

from tellonce.client_settings import RelaySettings
from tellonce.settings import SettingsError


def bot_token(settings: RelaySettings) -> str:
    """The token for sending only. Raises SettingsError."""
    if settings.bot_token is None:
        raise SettingsError("TELEGRAM_BOT_TOKEN is not set; @BotFather on Telegram gives you one.")
    return settings.bot_token.get_secret_value()


def relays_token(settings: RelaySettings) -> str:
    """The token, if all other settings of a relay are present. Raises SettingsError, naming what is missing."""
    token = bot_token(settings)
    if not settings.user_ids:
        raise SettingsError(
            "TELEGRAM_USER_ID is not set, so the bot would answer nobody; @userinfobot on Telegram shows your id."
        )
    if settings.webhook.url is not None and settings.webhook.secret is None:
        raise SettingsError("TELEGRAM_WEBHOOK__SECRET is not set: without it anybody could send the bot updates.")
    return token
