"""The settings that all processes share, and the settings of the server. They are read only from the environment and
`.env`."""

import os
import re
import stat
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal, TypeVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import (
    AliasChoices,
    AliasGenerator,
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, DotEnvSettingsSource, PydanticBaseSettingsSource, SettingsConfigDict

from tellonce.backoff import backoff
from tellonce.former_name import data_folder, former_sources
from tellonce.setting_types import Folder, GroupIds, Names, UserIds


class Group(BaseModel, frozen=True):
    model_config = ConfigDict(extra="forbid")


class Remote(Group, frozen=True):
    """Remote clients: the server's public address, and an OAuth issuer. The server accepts the issuer's access tokens
    in addition to its own."""

    url: str = Field(default="", description="Public URL of `/mcp`, which a token must name as its audience.")
    issuer: str = Field(
        default="", description="OAuth issuer of access tokens; default: only tokens of `tellonce token` are valid."
    )
    jwks_url: str = Field(default="", description="URL of the issuer's public keys; https, or loopback.")
    subjects: str = Field(default="", description="The user id of each subject of the issuer: `ann=42, ben=43`.")
    rate_limit: float = Field(
        default=500, ge=0, description="Maximum requests per second of one remote credential; 0: no limit."
    )

    @model_validator(mode="after")
    def _whole(self) -> "Remote":
        named = {"URL": self.url, "JWKS_URL": self.jwks_url, "SUBJECTS": self.subjects}
        if self.issuer and not all(named.values()):
            raise ValueError(
                f"with an issuer, {', '.join(n for n, value in named.items() if not value)} must be set, too"
            )
        if self.jwks_url and not re.match(r"https://|http://(127\.0\.0\.1|localhost|\[::1\])[:/]", self.jwks_url):
            raise ValueError(
                "JWKS_URL must be https (or loopback): over http, someone on the network could replace the keys and "
                "log in as any user"
            )
        return self

    @field_validator("subjects")
    @classmethod
    def _pairs(cls, text: str) -> str:
        parsed_subjects(text)
        return text

    @property
    def users(self) -> dict[str, int]:
        """The user id for each subject of the OAuth issuer."""
        return parsed_subjects(self.subjects)


def parsed_subjects(text: str) -> dict[str, int]:
    """Parse `sub=user id` pairs. Raises ValueError for any other text."""
    pairs = [part.strip().rpartition("=") for part in text.split(",") if part.strip()]
    if any(not subject or not re.fullmatch(r"\d{1,18}", user) for subject, _, user in pairs):
        raise ValueError("write subject=user id, separated by commas: ann=42, ben=43")
    return {subject: int(user) for subject, _, user in pairs}


DEFAULT_USER_ID = 1


class SettingsError(Exception):
    """Some settings are wrong or missing. The text says which, and what is wrong."""


class Budgets(Group, frozen=True):
    """Maximum tokens of each part of a context of 4,300 tokens. For a context of another size, these maximums are
    scaled. Tokens that one part does not use go to other parts."""

    profile: int = Field(default=400, ge=0, description="Tokens of the profile.")
    summary: int = Field(default=500, ge=0, description="Tokens of the canonical summary and the thread summary.")
    memories: int = Field(default=600, ge=0, description="Tokens of facts, goals and pins.")
    summaries: int = Field(default=600, ge=0, description="Tokens of older chunk summaries.")
    history: int = Field(default=2000, ge=0, description="Tokens of verbatim messages.")
    relevant: int = Field(default=800, ge=0, description="Tokens of search results.")
    quoted: int = Field(default=100, ge=0, description="Tokens of the quoted message.")


class Compaction(Group, frozen=True):
    """The limits that decide when the older messages of a thread are summarized in chunks."""

    max_messages: int = Field(
        default=40,
        ge=2,
        description="Unsummarized messages that a thread may have before the older ones are summarized.",
    )
    max_tokens: int = Field(
        default=2500,
        ge=100,
        description="Tokens that a thread's unsummarized messages may have before the older ones are summarized.",
    )
    max_age_hours: float = Field(
        default=24,
        gt=0,
        description="Hours of silence after which a thread's messages are summarized, except the newest ones.",
    )
    keep: int = Field(default=20, ge=1, description="Number of newest messages kept verbatim.")
    keep_when_long: int = Field(
        default=10, ge=1, description="Number of newest messages kept verbatim if the limit of tokens was exceeded."
    )
    chunk: int = Field(default=20, ge=2, description="Maximum messages in one chunk summary.")
    canonical_cap: int = Field(
        default=2000,
        ge=100,
        description="If a chat's canonical summary has more tokens than this, the user is advised to start a new chat.",
    )
    thread_cap: int = Field(default=350, ge=50, description="Maximum tokens of a thread or session summary.")
    profile_cap: int = Field(default=500, ge=50, description="Maximum tokens of the profile narrative.")
    profile_exchanges: int = Field(default=5, ge=1, description="Exchanges after which a changed profile is rebuilt.")

    @property
    def chunk_least(self) -> int:
        """The minimum number of messages in one chunk summary."""
        return max(2, self.chunk // 2)


class QueuePolicy(Group, frozen=True):
    """How the queue of background work hands out jobs and retries them."""

    lease_seconds: float = Field(
        default=60, gt=0, description="Seconds of a lease. A worker that does not extend it in time loses the job."
    )
    max_attempts: int = Field(
        default=5, ge=1, description="Failures after which a job is given up; `tellonce replay` retries it."
    )
    backoff_seconds: float = Field(
        default=2, gt=0, description="Seconds before the first retry; doubles per failure, with jitter."
    )
    backoff_cap_seconds: float = Field(default=300, gt=0, description="Maximum seconds before a retry.")
    poll_seconds: float = Field(
        default=2, gt=0, description="Seconds between polls of the queue while no new job is announced."
    )

    @property
    def lease(self) -> timedelta:
        return timedelta(seconds=self.lease_seconds)

    def retry_delay(self, attempts: int) -> timedelta:
        """How long a job waits before its next attempt. `attempts` is the number of the job's earlier attempts."""
        return timedelta(seconds=backoff(attempts + 1, self.backoff_seconds, self.backoff_cap_seconds))


class Retention(Group, frozen=True):
    """These settings say how long receipts, finished jobs and records of model calls are kept. They also say how often
    forgotten text is removed from the database files. Messages are kept until they are forgotten."""

    receipt_days: float = Field(default=30, gt=0, description="Days for which a context's receipt is kept.")
    receipts_per_chat: int = Field(default=2000, ge=1, description="Maximum receipts kept for one chat.")
    job_days: float = Field(default=14, gt=0, description="Days for which a finished job of the queue is kept.")
    call_days: float = Field(
        default=90,
        ge=32,
        description="Days for which single model calls are kept; after that, only their monthly sums are.",
    )
    scrub_hours: float = Field(
        default=24,
        ge=0,
        description="Minimum hours between two scrubs of the database files after something was forgotten; 0: never.",
    )


class ContextDefaults(Group, frozen=True):
    """Limits for a context, such as the maximum number of facts. The token budget of a context may reduce these numbers
    further."""

    facts: int = Field(default=50, ge=0, description="Maximum facts; the newest are shown.")
    goals: int = Field(default=20, ge=0, description="Maximum goals; shown by priority and then by deadline.")
    messages: int = Field(
        default=5, ge=0, description="Maximum messages related to the query; for a question, more if they fit."
    )
    memories: int = Field(default=3, ge=0, description="Maximum memories related to the query.")
    min_cosine: float = Field(
        default=0.7, ge=0, le=1, description="Minimum cosine of a related memory that shares no word with the query."
    )
    slot_minutes: float = Field(
        default=60, gt=0, description="Minutes in which a message may answer the assistant's question."
    )


ENVIRONMENT_ONLY = "_TELLONCE_ENVIRONMENT_ONLY"


def ignore_env_file() -> None:
    """From now on, this process and its children do not read `.env`. A client may start a stdio server in any project,
    whose `.env` could send the memory elsewhere."""
    os.environ[ENVIRONMENT_ONLY] = "1"


def _refuse_env_file_of_others(file: Path) -> None:
    """Another user of this machine could have written the file, for example in /tmp."""
    if not hasattr(os, "geteuid") or not file.is_file():
        return
    status = file.stat()
    if status.st_uid not in (os.geteuid(), 0) or status.st_mode & stat.S_IWOTH:
        raise SettingsError(
            f"{file.absolute()} may be another user's, who could send your memory elsewhere. Start in another folder, or "
            "make the file yours alone (chown, chmod 600)."
        )


class Settings(BaseSettings):
    """The settings of every process. The variable of a setting is `TELLONCE_` followed by the setting's name, unless
    the setting has an alias."""

    model_config = SettingsConfigDict(
        alias_generator=AliasGenerator(validation_alias=lambda name: f"TELLONCE_{name.upper()}"),
        env_file=".env",
        extra="ignore",
        frozen=True,
        populate_by_name=True,
        env_nested_delimiter="__",
        env_ignore_empty=True,
    )

    data_dir: Folder = Field(
        default_factory=data_folder,
        description="Folder of the database, access tokens and the embedding model.",
    )
    user_ids: UserIds = Field(
        default=(),
        validation_alias="TELEGRAM_USER_ID",
        description="Telegram ids of the users, your own first; default: user 1.",
    )
    timezone: str = Field(
        default="",
        validation_alias="USER_TIMEZONE",
        description="Your time zone, as in `Asia/Singapore`; default: the system's.",
    )
    observability: bool = Field(
        default=False,
        validation_alias="OBSERVABILITY_ENABLED",
        description="Write events as JSON lines (docs/how-to/tracing.md).",
    )
    log_dir: Folder = Field(default=Path("logs"), description="Folder of the files with events.")
    log_format: Literal["text", "json"] = Field(default="text", description="Format of the log on standard error.")
    otlp_endpoint: str | None = Field(
        default=None,
        validation_alias="OTEL_EXPORTER_OTLP_ENDPOINT",
        description="OTLP/HTTP collector of spans, such as http://127.0.0.1:4318; default none.",
    )

    @field_validator("timezone")
    @classmethod
    def _known_zone(cls, name: str) -> str:
        try:
            return ZoneInfo(name).key if name else system_timezone()
        except (ZoneInfoNotFoundError, ValueError) as error:
            raise ValueError(f"{name!r} is not an IANA time zone; example: Asia/Singapore") from error

    @classmethod
    def settings_customise_sources(
        cls, settings_cls: type[BaseSettings], *sources: PydanticBaseSettingsSource, **named: PydanticBaseSettingsSource
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        found = (*sources, *named.values(), *former_sources(settings_cls))
        if ENVIRONMENT_ONLY not in os.environ:
            _refuse_env_file_of_others(Path(".env"))
            return found
        return tuple(source for source in found if not isinstance(source, DotEnvSettingsSource))

    @property
    def default_user(self) -> int:
        return self.user_ids[0] if self.user_ids else DEFAULT_USER_ID


def system_timezone() -> str:
    """The machine's IANA time zone, or UTC if it is unknown."""
    link = Path("/etc/localtime")
    target = str(link.resolve()) if link.exists() else ""
    name = target.partition("zoneinfo/")[2]
    try:
        return ZoneInfo(name).key if name else "UTC"
    except (ZoneInfoNotFoundError, ValueError):
        return "UTC"


SettingsT = TypeVar("SettingsT", bound=Settings)


class GroupSettings(Settings):
    """The settings of the processes that know Telegram's groups."""

    groups: GroupIds = Field(
        default=(),
        validation_alias="TELEGRAM_GROUPS",
        description="Telegram groups that the bot serves; each has a separate memory.",
    )
    personal_groups: GroupIds = Field(
        default=(),
        validation_alias="TELEGRAM_PERSONAL_GROUPS",
        description="Groups whose only members are you and the bot; they are part of your own memory.",
    )


class ServerSettings(GroupSettings):
    database_url: SecretStr | None = Field(
        default=None,
        validation_alias="DATABASE_URL",
        description="URL of your own PostgreSQL, such as `postgresql://user@localhost/tellonce`; default: the embedded one.",
    )
    database_direct_url: SecretStr | None = Field(
        default=None,
        validation_alias="DATABASE_DIRECT_URL",
        description="Direct URL of the same database, if DATABASE_URL leads to a pooler (PgBouncer).",
    )
    host: str = Field(default="127.0.0.1", description="Address the HTTP server binds.")
    port: int = Field(default=8765, ge=0, le=65535, description="Port of the HTTP server.")
    allowed_hosts: Names = Field(
        default=(),
        description="Further host names that the server accepts in the Host header, besides loopback and TELLONCE_HOST.",
    )
    embeddings: Literal["local", "none"] = Field(
        default="local",
        description="Model for search by meaning; with none, search is by words alone.",
    )
    embedding_model_dir: Folder | None = Field(
        default=None,
        description="Folder with the local model, if it cannot be downloaded.",
    )
    mask_messages: bool = Field(
        default=False,
        validation_alias="MASK_SECRETS_IN_MESSAGES",
        description="Mask keys and passwords in stored messages, too, not only in texts derived from them.",
    )
    stdio_learns: bool | None = Field(
        default=None,
        description="Start a summarizer with a stdio server if none is running; default: yes, unless the service is installed.",
    )
    monthly_cap_usd: float | None = Field(
        default=None,
        ge=0,
        description="Maximum US dollars per month for learning and summaries, not counting answers; once it is spent, Ollama or no model learns; default: no limit.",
    )
    budgets: Budgets = Budgets()
    compaction: Compaction = Compaction()
    queue: QueuePolicy = QueuePolicy()
    retention: Retention = Retention()
    context: ContextDefaults = ContextDefaults()
    remote: Remote = Remote()

    @field_validator("embeddings", mode="before")
    @classmethod
    def _without_ollama(cls, value: object) -> object:
        """Use the local model instead of Ollama. `unknown_settings` warns of this."""
        return "local" if value == "ollama" else value

    @property
    def login_url(self) -> str | None:
        """The URL without a connection pooler. None for the embedded PostgreSQL."""
        url = self.database_direct_url or self.database_url
        return url.get_secret_value() if url is not None else None

    @property
    def own_name(self) -> str:
        """The host name that programs on this machine use to call the server."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)
        return f"[{host}]" if ":" in host else host


def load(kind: type[SettingsT], **overrides: Any) -> SettingsT:
    """Read the settings of one process. Raises SettingsError, which contains no secret."""
    try:
        return kind(**overrides)
    except ValidationError as error:
        lines = [
            f"{_variable(kind, e['loc'])}: {e['msg'].removeprefix('Value error, ')}"
            for e in error.errors(include_input=False, include_url=False)
        ]
        raise SettingsError("Wrong settings:\n  " + "\n  ".join(lines)) from None


def _variable(kind: type[Settings], location: tuple[int | str, ...]) -> str:
    head, *rest = (str(part) for part in location)
    field = kind.model_fields.get(head)
    return "__".join([variable(head, field) if field else head, *(part.upper() for part in rest)])


def variable(name: str, field: FieldInfo) -> str:
    """The environment variable of a setting. `name` does not include the name of the setting's group."""
    alias = field.validation_alias
    return str(alias.choices[0] if isinstance(alias, AliasChoices) else alias or name.upper())
