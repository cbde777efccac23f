"""The texts of the server for people: errors, notices and notes.

A text is English, because models and other programs show it unchanged. The `_meta` of a result contains the code and
the values of each text. The bot and the page can thus show their own sentence in the reader's language.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal, Self, TypeVar, get_args

from pydantic import BaseModel, GetCoreSchemaHandler, ValidationError
from pydantic_core import CoreSchema, core_schema

TEXTS_META: Final = "tellonce/texts"
"""A key in the `_meta` of a result. Its value is a list with the code and the values of each text, in the order of the
texts."""

TextFault = Literal["text_empty", "text_long", "text_unstorable"]
"""The types of the contract's own validation errors for texts."""
TextCode = Literal[
    TextFault,
    "another_user",
    "argument",
    "backup_failed",
    "call",
    "chat_foreign",
    "chat_full",
    "chat_unknown",
    "chat_unserved",
    "code_used",
    "connect_failed",
    "crash",
    "database_away",
    "database_busy",
    "database_closed",
    "database_full",
    "database_starting",
    "denied",
    "download_gone",
    "forget_declined",
    "forget_external",
    "forget_here",
    "forget_left",
    "forget_match",
    "forget_new",
    "forget_none_ticked",
    "forget_not_yet",
    "forget_only_similar",
    "forget_outdated",
    "forget_shared",
    "forget_unspecific",
    "forget_whole",
    "forget_words",
    "forgotten_since",
    "import_failed",
    "no_memory",
    "no_message",
    "no_receipt",
    "no_reminder",
    "not_learning",
    "nothing_stated",
    "operator_only",
    "page_request",
    "token_exists",
    "token_unknown",
    "too_many",
    "undo_late",
    "unread",
    "upload_gone",
    "upload_large",
]
"""The codes of the texts. `shared_texts.toml` has the sentence of each code, as `server.CODE`, in every language."""

_FAULTS: Final[dict[str, TextFault]] = {fault: fault for fault in get_args(TextFault)}
_FIELDS: Final = ("notices", "notes")
"""The fields of results that contain server texts."""


class ServerText(str):
    """A text with its code and values. The code is None if the text came from a server that sends no codes."""

    code: TextCode | None
    values: Mapping[str, int | str]

    def __new__(cls, text: str, code: TextCode | None = None, /, **values: int | str) -> Self:
        made = super().__new__(cls, text)
        made.code, made.values = code, values
        return made

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """In the schema, the type is a string. Any other string becomes a text without a code."""
        return core_schema.no_info_wrap_validator_function(
            lambda value, text: value if isinstance(value, cls) else cls(text(value)), core_schema.str_schema()
        )


def invalid(text: str, error: ValidationError, subject: str) -> ServerText:
    """The text of a validation error about an argument, or about `subject`."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    if fault := _FAULTS.get(first["type"]):
        return ServerText(text, fault)
    return ServerText(text, "argument", field=".".join(map(str, first["loc"])) or subject)


def texts_of(result: BaseModel) -> list[ServerText]:
    """The texts of a result."""
    return [text for name in _FIELDS for text in getattr(result, name, ()) if isinstance(text, ServerText)]


def to_meta(texts: Iterable[ServerText]) -> dict[str, Any]:
    """The `_meta` entry for texts. Only counts (`n`) are sent as numbers, because the page formats them."""
    sent = [
        {
            "code": text.code,
            "values": {name: value if name == "n" else str(value) for name, value in text.values.items()},
        }
        for text in texts
    ]
    return {TEXTS_META: sent} if sent else {}


def from_meta(texts: Iterable[str], meta: Mapping[str, Any] | None) -> list[ServerText]:
    """The texts with the codes and values that `_meta` contains."""
    sent = iter((meta or {}).get(TEXTS_META, ()))
    entries: list[tuple[str, Mapping[str, Any]]] = [(text, next(sent, {})) for text in texts]
    return [ServerText(text, entry.get("code"), **entry.get("values", {})) for text, entry in entries]


ResultT = TypeVar("ResultT", bound=BaseModel)


def with_codes(result: ResultT, meta: Mapping[str, Any] | None) -> ResultT:
    """Return the result with the codes and values from `_meta` added to its texts."""
    if TEXTS_META not in (meta or {}):
        return result
    coded = iter(from_meta(texts_of(result), meta))
    shown = [name for name in _FIELDS if getattr(result, name, ())]
    return result.model_copy(update={name: tuple(next(coded) for _ in getattr(result, name)) for name in shown})
