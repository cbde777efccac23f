"""The kinds of values the contract is made of: clean texts, bounded numbers, immutable models."""

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from tellonce.moments import Instant

MAX_TEXT_BYTES = 64 * 1024
MAX_BIGINT = 2**63 - 1

Role = Literal["user", "assistant"]
MemoryKind = Literal["fact", "preference", "goal", "date", "outcome", "pin"]
MemoryStatus = Literal["active", "uncertain", "completed", "superseded", "rejected"]
MemoryOrigin = Literal["user", "extracted", "model", "tag", "import"]
Scope = Literal["chat", "global"]
SlotType = Literal["text", "yes_no", "number", "date", "time", "email", "url", "choice"]
ResultKind = Literal["message", "summary", "fact", "preference", "goal", "date", "outcome", "pin"]
SectionName = Literal["profile", "summary", "memories", "history", "relevant", "quoted"]
ShownName = Literal["profile", "summary", "memories", "history", "relevant", "quoted", "now"]
Stability = Literal["stable", "slow", "append", "volatile"]
MemoryAction = Literal["confirm", "reject", "complete", "reopen", "edit", "pin", "unpin", "make_global", "share"]
ForgetLabel = Literal["exact", "number", "form"]
"""How a hit says what is to be forgotten: these characters, these digits with other separators, other forms of the words."""
JobKind = Literal["exchange", "chunk_summary", "thread_summary", "profile", "routine_summary", "erasure"]
Precision = Literal["instant", "day", "month", "year", "ongoing"]


def _clean(text: str) -> str:
    if "\x00" in text:
        raise ValueError("holds a NUL character; send plain text")
    if len(text.encode("utf-8", "surrogatepass")) > MAX_TEXT_BYTES:
        raise ValueError("is longer than 64 KiB; split it")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError("is not valid Unicode text") from error
    return text


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("is empty")
    return text


def _external_id(value: object) -> object:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


Clean = Annotated[str, AfterValidator(_clean)]
Text = Annotated[str, AfterValidator(_clean), AfterValidator(_not_blank)]
Bigint = Annotated[int, Field(ge=-MAX_BIGINT, le=MAX_BIGINT, strict=True)]
ExternalId = Annotated[Text, BeforeValidator(_external_id), Field(max_length=128)]
RowId = Annotated[int, Field(ge=1, le=MAX_BIGINT, strict=True)]
Unit = Annotated[float, Field(ge=0, le=1, strict=True)]


class Contract(BaseModel):
    """What we own on the wire: immutable, and nothing unknown slips through."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Place(Contract):
    """Where in the talk a call happens. No chat: the caller's own private chat."""

    chat_id: Bigint | None = None
    message_thread_id: RowId | None = None
    reply_to_message_id: ExternalId | None = None


class When(Contract):
    """When a statement holds or happens, in the user's time zone. Either end may be open."""

    start: Instant | None = None
    end: Instant | None = None
    precision: Precision = "day"
