"""The basic types of the contract: checked texts, bounded numbers, immutable models."""

import re
from datetime import datetime
from typing import Annotated, Final, Literal, NamedTuple, get_args

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationInfo,
    WithJsonSchema,
)
from pydantic.json_schema import SkipJsonSchema
from pydantic_core import PydanticCustomError

ZONE = "zone"
"""The key of the time zone in pydantic's validation context. The zone is used for times without an offset."""


_NUMBER = re.compile(r"[-+]?[\d._]+")


def _on_a_clock(moment: datetime, info: ValidationInfo) -> datetime:
    if moment.tzinfo is not None:
        return moment
    zone = (info.context or {}).get(ZONE)
    if zone is None:
        raise ValueError("needs its UTC offset, as in 2026-03-15T09:00:00+08:00")
    return moment.replace(tzinfo=zone)


def _in_calendar(moment: datetime) -> datetime:
    """Years 2 to 9998, because a conversion to another time zone can change the year by one."""
    if not 1 < moment.year < 9999:
        raise ValueError("is not a year from 2 to 9998")
    return moment


NOT_A_TIME = "is not a time; write a day or a time, as in 2026-03-15 or 2026-03-15T09:00:00+08:00"


def _written_time(value: object) -> object:
    """Pydantic would read a number such as `2026` as seconds since 1970."""
    if isinstance(value, datetime) or (isinstance(value, str) and not _NUMBER.fullmatch(value.strip())):
        return value
    raise ValueError(NOT_A_TIME)


def _to_its_end(written: object) -> object:
    """A period includes its last day."""
    is_day = isinstance(written, str) and re.fullmatch(r"\d{4}-\d{2}-\d{2}", written) is not None
    return f"{written}T23:59:59.999999" if is_day else written


def _not_before_since(until: datetime, info: ValidationInfo) -> datetime:
    since = info.data.get("since")
    if since is not None and until < since:
        raise ValueError("is before since; swap them, or leave one out")
    return until


Instant = Annotated[AwareDatetime, AfterValidator(_in_calendar), BeforeValidator(_written_time)]
Moment = Annotated[datetime, AfterValidator(_on_a_clock), AfterValidator(_in_calendar), BeforeValidator(_written_time)]
"""A time given by a person. A time without a UTC offset is in the user's time zone: `2026-03-15` is the beginning of
that day in this zone.
"""
End = Annotated[Moment, AfterValidator(_not_before_since), BeforeValidator(_to_its_end)]


MAX_TEXT_BYTES = 64 * 1024
MAX_BIGINT = 2**63 - 1
MAX_NAME = 128
"""Maximum number of characters of an id or a name that a client chooses."""

Role = Literal["user", "assistant"]
LearnedKind = Literal["fact", "preference", "goal", "date", "outcome"]
"""The kinds of memories that are learned from messages. All other lists of memory kinds include these kinds."""
MemoryKind = Literal[LearnedKind, "pin"]
ListedKind = Literal[MemoryKind, "note"]
"""The kinds that a list of memories can select. `note` selects the user's own sentences of every kind."""
RestorableStatus = Literal["active", "uncertain", "completed", "rejected"]
"""The statuses that an undo can restore."""
MemoryStatus = Literal[RestorableStatus, "superseded"]
KnownStatus = Literal["active", "uncertain", "rejected"]
"""A worker sees only memories with these statuses."""


class StatusTraits(NamedTuple):
    """`holds`: the statement is valid, or the user is asked whether it is valid. `sure`: the statement is or was
    valid."""

    holds: bool = False
    sure: bool = False


STATUSES: Final[dict[MemoryStatus, StatusTraits]] = {
    "active": StatusTraits(holds=True, sure=True),
    "uncertain": StatusTraits(holds=True),
    "completed": StatusTraits(sure=True),
    "rejected": StatusTraits(),
    "superseded": StatusTraits(sure=True),
}
HOLDING: Final[tuple[MemoryStatus, ...]] = tuple(status for status, traits in STATUSES.items() if traits.holds)
SURE: Final[tuple[MemoryStatus, ...]] = tuple(status for status, traits in STATUSES.items() if traits.sure)
CURRENT: Final[tuple[MemoryStatus, ...]] = tuple(status for status in SURE if status in HOLDING)
MemoryOrigin = Literal["user", "extracted", "model", "tag", "import"]
Scope = Literal["chat", "global"]
SlotType = Literal["text", "yes_no", "number", "date", "time", "email", "url", "choice"]
ResultKind = Literal["message", "summary", MemoryKind]
SectionName = Literal["log", "profile", "summary", "memories", "history", "elsewhere", "relevant", "quoted"]
ShownName = Literal[SectionName, "now"]
Stability = Literal["stable", "slow", "append", "volatile"]
PlainAction = Literal["confirm", "reject", "complete", "reopen", "pin", "unpin", "make_global"]
"""The changes of a memory that need no further argument."""
MemoryAction = Literal[PlainAction, "edit", "share"]
ForgetLabel = Literal["exact", "number", "form"]
"""How a match was found: exactly, as digits with other separators, or by other forms of the words."""
TokenScope = Literal["assistant", "relay", "agent"]
"""The scopes of access tokens. The server offers each scope its own tools."""
Precision = Literal["instant", "day", "month", "year", "ongoing"]

LEARNED_KINDS: Final[tuple[LearnedKind, ...]] = get_args(LearnedKind)
MEMORY_KINDS: Final[tuple[MemoryKind, ...]] = get_args(MemoryKind)
LISTED_KINDS: Final[tuple[ListedKind, ...]] = get_args(ListedKind)


def _clean(text: str) -> str:
    if "\x00" in text:
        raise PydanticCustomError("text_unstorable", "contains a NUL character; send plain text")
    if len(text.encode("utf-8", "surrogatepass")) > MAX_TEXT_BYTES:
        raise PydanticCustomError("text_long", "is longer than 64 KiB; split it")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise PydanticCustomError("text_unstorable", "is not valid Unicode text") from error
    return text


def _not_blank(text: str) -> str:
    if not text.strip():
        raise PydanticCustomError("text_empty", "is empty")
    return text


def _whole(value: object) -> object:
    """`5.0` becomes `5`."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _thread_id(value: object) -> int | str:
    """The number of a topic or the name of a session: `"12" -> 12`."""
    value = _whole(value)
    if isinstance(value, str) and not re.fullmatch(r"[1-9][0-9]{0,17}", value):
        if len(_not_blank(_clean(value))) > MAX_NAME:
            raise ValueError(f"is {len(value)} characters long; at most {MAX_NAME} are allowed")
        return value
    if isinstance(value, bool) or not isinstance(value, int | str) or not 0 < int(value) <= MAX_BIGINT:
        raise ValueError("is neither the number of a topic nor the name of a session")
    return int(value)


def _external_id(value: object) -> object:
    value = _whole(value)
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _absent_if_empty(value: object) -> object:
    return None if isinstance(value, list | tuple) and not value else value


ABSENT_IF_EMPTY = BeforeValidator(_absent_if_empty)
"""A validator for lists that select something. It treats an empty list as absent, because an empty list would select
nothing."""
Clean = Annotated[str, AfterValidator(_clean)]
Text = Annotated[str, AfterValidator(_clean), AfterValidator(_not_blank)]
Bigint = Annotated[int, Field(ge=-MAX_BIGINT, le=MAX_BIGINT, strict=True)]
ExternalId = Annotated[Text, BeforeValidator(_external_id), Field(max_length=MAX_NAME)]
RowId = Annotated[int, Field(ge=1, le=MAX_BIGINT, strict=True)]
ThreadId = Annotated[int | str, BeforeValidator(_thread_id), WithJsonSchema({"type": ["integer", "string"]})]
ConversationId = Annotated[Text, Field(max_length=MAX_NAME)]
Unit = Annotated[float, Field(ge=0, le=1, strict=True)]


class Contract(BaseModel):
    """The base class of all arguments and results. They are immutable, and they refuse unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Place(Contract):
    """The chat and thread to which a call belongs.

    The chat is given by its number, or by the client's own name for a conversation. Without a number and a name, the
    place is the chat of the client's channel. `message_thread_id` is a thread within the chat: a forum topic's number
    or the name of a session.
    """

    chat_id: Bigint | None = Field(default=None, description="Chat number.")
    conversation_id: ConversationId | None = Field(default=None, description="Or your own id.")
    message_thread_id: ThreadId | None = Field(default=None, description="Topic or session.")
    reply_to_message_id: ExternalId | None = Field(default=None, description="Message replied to.")


class ThreadPlace(Place):
    """The chat and thread of a call that seldom needs `reply_to_message_id`. The schema does not list this argument,
    because a model pays tokens for every listed argument. The call still accepts it."""

    reply_to_message_id: SkipJsonSchema[ExternalId | None] = None


class ChatPlace(ThreadPlace):
    """The chat and thread of a call that gives the same result in every thread of the chat. The schema does not list
    the thread."""

    message_thread_id: SkipJsonSchema[ThreadId | None] = None


class When(Contract):
    """The time at which a statement holds or happens, in the user's time zone. Either end may be open."""

    start: Instant | None = None
    end: Instant | None = None
    precision: Precision = "day"
