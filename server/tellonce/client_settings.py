"""The settings of the server's clients: the relay with the terminal chat, and the summarizer."""

from pathlib import Path
from typing import Literal

from pydantic import AliasChoices, Field, SecretStr

from tellonce.setting_types import Folder, GroupIds, OllamaAddress, ServerAddress
from tellonce.settings import Group, GroupSettings, Settings, SettingsError
from tellonce.work_kinds import Tier


class Webhook(Group, frozen=True):
    """The webhook: Telegram sends updates to the bot, so the bot does not poll."""

    url: str | None = Field(
        default=None, description="Public URL to which Telegram sends updates; default: the bot polls Telegram."
    )
    port: int = Field(default=8443, description="Port the webhook listens on.")
    secret: SecretStr | None = Field(default=None, description="Secret that Telegram sends with each update.")

    @property
    def secret_text(self) -> str | None:
        return self.secret.get_secret_value() if self.secret else None


class Transcription(Group, frozen=True):
    """How voice messages are transcribed. If the URL of a server is set, this server transcribes them. Otherwise, a
    command transcribes them."""

    url: str | None = Field(
        default=None, description="OpenAI-compatible server (whisper.cpp, faster-whisper, LocalAI)."
    )
    model: str = Field(default="whisper-1", description="Name of the transcription model.")
    key: SecretStr | None = Field(default=None, description="API key of the transcription server, if it needs one.")
    command: str | None = Field(
        default=None,
        description="Command that prints the transcript of a file; the file's path replaces `{file}` or is appended.",
    )


class ClientSettings(Settings):
    url: ServerAddress = Field(
        default="http://127.0.0.1:8765/mcp",
        validation_alias=AliasChoices("TELLONCE_URL", "TELLONCE_PORT"),
        description="The memory server; default: this machine's, on TELLONCE_PORT.",
    )
    token: SecretStr | None = Field(
        default=None,
        description="Access token for the memory server; default: the one in the data folder.",
    )
    anthropic_api_key: SecretStr | None = Field(
        default=None,
        validation_alias="ANTHROPIC_API_KEY",
        description="Key of the Claude API; without it, the API is not used.",
    )
    anthropic_base_url: str | None = Field(
        default=None,
        validation_alias="ANTHROPIC_BASE_URL",
        description="Address of the Claude API, if not Anthropic's own.",
    )
    ollama_url: OllamaAddress | None = Field(
        default=None,
        validation_alias="OLLAMA_HOST",
        description="Ollama server, for answers and learning.",
    )
    ollama_model: str = Field(
        default="llama3.2", validation_alias="OLLAMA_MODEL", description="Ollama model that answers and learns."
    )
    responder: Literal["auto", "anthropic", "claude-cli", "ollama", "offline"] = Field(
        default="auto",
        description="Model that answers; auto: Claude if there is a key, else Ollama, else no model (`offline`).",
    )
    claude_command: str = Field(
        default="claude",
        description="Command that runs Claude Code, if Claude Code answers or learns.",
    )

    def bearer(self, scope: str) -> str:
        """The configured token, or else the token for `scope` in the data folder. Raises SettingsError."""
        if self.token is not None:
            return self.token.get_secret_value()
        file = self.data_dir / "tokens" / scope
        try:
            return file.read_text().strip()
        except OSError as error:
            raise SettingsError(
                "No access token: start the server on this machine first (type `tellonce up` and leave it running, then "
                "repeat this in a second terminal), or set TELLONCE_TOKEN to a token made on the server's machine with "
                f"`tellonce token create --scope {scope}`. ({file}: {error.strerror})"
            ) from None


class SummarizerSettings(ClientSettings):
    learner: Literal["auto", "claude-cli", "keep"] = Field(
        default="auto",
        description="Models that learn from messages, tried in order; auto: Claude if there is a key, the `claude` "
        "command if TELLONCE_RESPONDER is claude-cli, then Ollama; claude-cli: always with the command; keep: no model.",
    )
    cli_calls_hour: int = Field(
        default=10,
        ge=0,
        validation_alias="SUMMARIZER_CLI_CALLS_HOUR",
        description="Maximum calls of the `claude` command for learning per hour.",
    )
    cli_calls_day: int = Field(
        default=60,
        ge=0,
        validation_alias="SUMMARIZER_CLI_CALLS_DAY",
        description="Maximum calls of the `claude` command for learning per day.",
    )
    cli_seconds: float = Field(
        default=90,
        gt=0,
        validation_alias="SUMMARIZER_CLI_SECONDS",
        description="Maximum seconds that the `claude` command may take for one exchange.",
    )
    model: str = Field(
        default="claude-haiku-4-5", validation_alias="SUMMARIZER_MODEL", description="Claude model for learning."
    )
    claude_seconds: float = Field(
        default=15,
        gt=0,
        validation_alias="SUMMARIZER_CLAUDE_SECONDS",
        description="Maximum seconds that one call of Claude may take.",
    )
    ollama_seconds: float = Field(
        default=20,
        gt=0,
        validation_alias="SUMMARIZER_OLLAMA_SECONDS",
        description="Maximum seconds that one call of Ollama may take.",
    )
    concurrency: int = Field(
        default=2,
        ge=1,
        le=32,
        validation_alias="SUMMARIZER_CONCURRENCY",
        description="Maximum number of jobs processed at the same time.",
    )
    wait_seconds: float = Field(
        default=20,
        ge=0,
        le=60,
        validation_alias="SUMMARIZER_WAIT_SECONDS",
        description="Maximum seconds that a request for a job waits until there is one.",
    )

    @property
    def asks_the_command(self) -> bool:
        """Whether the `claude` command is used for learning."""
        return self.learner == "claude-cli" or (self.learner == "auto" and self.responder == "claude-cli")

    def seconds(self, tier: Tier) -> float:
        """Maximum seconds that a call of this tier's model may take."""
        own: dict[Tier, float] = {"claude-cli": self.cli_seconds, "ollama": self.ollama_seconds}
        return own.get(tier, self.claude_seconds)

    @property
    def cli_calls(self) -> Path:
        """The file that counts the calls of the `claude` command."""
        return self.data_dir / "learner-calls.json"


class RelaySettings(ClientSettings, GroupSettings):
    bot_token: SecretStr | None = Field(
        default=None, validation_alias="TELEGRAM_BOT_TOKEN", description="The bot's token, from @BotFather."
    )
    bot_api_url: str = Field(
        default="https://api.telegram.org", validation_alias="TELEGRAM_API_URL", description="Address of the Bot API."
    )
    always_groups: GroupIds = Field(
        default=(),
        validation_alias="TELEGRAM_ALWAYS_GROUPS",
        description="Groups in which the bot answers every message, not only those addressed to it.",
    )
    webhook: Webhook = Field(default=Webhook(), validation_alias="TELEGRAM_WEBHOOK")
    model: str = Field(
        default="claude-sonnet-5-5", validation_alias="ANTHROPIC_MODEL", description="Claude model for answers."
    )
    user_name: str = Field(default="", description="Name by which the assistant addresses the user.")
    model_seconds: float = Field(
        default=120,
        gt=0,
        description="Maximum seconds without output from the model while it answers.",
    )
    breath_seconds: float = Field(
        default=1.5,
        ge=0,
        le=10,
        description="Messages that follow each other within this many seconds are answered together.",
    )
    transcribe: Transcription = Transcription()
    config_dir: Folder = Field(
        default=Path("config"),
        description="Folder that contains profile.md, agents.toml and routines.toml.",
    )


def bot_token(settings: RelaySettings) -> str:
    """The bot's token. No other setting is needed to send a message. Raises SettingsError if the token is not set."""
    if settings.bot_token is None:
        raise SettingsError("TELEGRAM_BOT_TOKEN is not set; @BotFather on Telegram gives you one.")
    return settings.bot_token.get_secret_value()


def relays_token(settings: RelaySettings) -> str:
    """The bot's token. Raises SettingsError with the name of a setting that the relay lacks."""
    token = bot_token(settings)
    if not settings.user_ids:
        raise SettingsError(
            "TELEGRAM_USER_ID is not set, so the bot would answer nobody; @userinfobot on Telegram shows your id."
        )
    if settings.webhook.url is not None and settings.webhook.secret is None:
        raise SettingsError("TELEGRAM_WEBHOOK__SECRET is not set: without it anybody could send the bot updates.")
    return token
