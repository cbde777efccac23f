"""The plain values in arguments: text that can be stored, ids, numbers in a range; pydantic only."""

from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field

MAX_TEXT_BYTES = 64 * 1024
MAX_BIGINT = 2**63 - 1


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
