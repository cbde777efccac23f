"""The bot's token, where all that a relay must be told stands beside it; knows nothing of Telegram's API."""

from chatmem.settings import RelaySettings, SettingsError


def bot_token(settings: RelaySettings) -> str:
    """Raises SettingsError, saying what is missing."""
    if settings.bot_token is None:
        raise SettingsError("TELEGRAM_BOT_TOKEN is not set; @BotFather on Telegram gives you one.")
    if not settings.user_ids:
        raise SettingsError(
            "TELEGRAM_USER_ID is not set, so nobody may talk; @userinfobot on Telegram tells you yours."
        )
    if settings.webhook_url is not None and settings.webhook_secret is None:
        raise SettingsError("TELEGRAM_WEBHOOK_SECRET is not set: without it anybody could send the bot updates.")
    return settings.bot_token.get_secret_value()
