"""The JSON schemas for models' answers, and functions that read an answer part by part."""

import re
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from tellonce.contract_types import LearnedKind, Precision

ShapeT = TypeVar("ShapeT", bound=BaseModel)


class UnacceptableAnswerError(Exception):
    """A model's answer does not match the request; the text says what is wrong."""


def _number(value: object) -> object:
    """Accept `#12` and `[12]`, because models copy numbers from the prompt."""
    match = re.fullmatch(r"\W*(\d{1,18})\W*", value) if isinstance(value, str) else None
    return int(match[1]) if match else value


def _listed(value: object) -> object:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _flat(value: object) -> object:
    return "\n".join(str(line) for line in value) if isinstance(value, list) else value or ""


Number = Annotated[int, BeforeValidator(_number)]
Numbers = Annotated[list[Number], BeforeValidator(_listed)]
Lines = Annotated[str, BeforeValidator(_flat)]


class Shape(BaseModel):
    """The base of answers. Unknown fields are ignored, because an answer with additional fields is still usable."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class QuoteShape(Shape):
    # The fields have the names of the work contract; their former names are still accepted. This is a comment, because
    # a docstring would be sent to the model.
    message_id: Number = Field(
        validation_alias=AliasChoices("message_id", "message"),
        description="The number of the message, without brackets.",
    )
    text: str = Field(validation_alias=AliasChoices("text", "words"), description="Copied exactly from that message.")


class WhenShape(Shape):
    start: str | None = Field("", description="YYYY, YYYY-MM, YYYY-MM-DD or YYYY-MM-DDTHH:MM; empty if unknown.")
    end: str | None = Field("", description="As start.")
    precision: Precision = "day"


class ItemShape(Shape):
    """One item. The quotes of an item come first, so that a model copies the user's words before it writes the
    statement."""

    quotes: list[QuoteShape]
    about: str = "user"
    text: str
    kind: LearnedKind
    scope: Literal["global", "chat"] = "global"
    when: WhenShape | None = None
    deadline: str | None = Field("", description="As start; empty if there is none.")
    certain: bool = True
    doubt: str | None = Field("", description="Why it is not certain, in a few words.")
    importance: float | None = 0.5
    pin: bool | None = False
    user_name: str | None = Field("", description="The user's own name, in the item in which they say it; else empty.")
    categories: Annotated[list[str], BeforeValidator(_listed)] = Field(
        default=[], description="Up to 4 general nouns, singular, narrowest first."
    )
    same_as: Number | None = Field(0, description="A number of KNOWN, or 0.")
    replaces: Numbers = Field([], description="Numbers of KNOWN.")
    ends: Numbers = Field([], description="Numbers of KNOWN.")


class CanonicalShape(Shape):
    user_confirmed: Lines = ""
    llm_inferred: Lines = ""
    general_summary: Lines = ""
    obsolete: Annotated[list[str], BeforeValidator(_listed)] = Field(
        default=[], description="Lines of PRIOR, copied exactly."
    )


class ExchangeShape(Shape):
    items: list[ItemShape]
    canonical: CanonicalShape = CanonicalShape()


class LooseExchange(Shape):
    """The answer for an exchange. The items are validated later, one by one."""

    items: list[Any]
    canonical: Any = None


class VerdictShape(Shape):
    number: Number
    holds: bool
    why: str | None = Field("", description="Where it does not hold: why, in a few words.")


class VerdictsShape(Shape):
    verdicts: list[VerdictShape]


class LooseVerdicts(Shape):
    verdicts: list[Any]


class SummaryShape(Shape):
    paragraph: str
    goals: list[str] = []
    decisions: list[str] = []
    facts: list[str] = []
    outcomes: list[str] = []
    pending: list[str] = []


def schema_of(shape: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema with every field required, because providers limit the number of optional fields."""
    return shape.model_json_schema(mode="serialization")


def read(shape: type[ShapeT], text: str) -> ShapeT:
    """Parse the answer as `shape`. The answer can be in a code fence. Raises UnacceptableAnswerError."""
    bare = text.strip().removeprefix("```json").removeprefix("```").removesuffix("```").strip()
    try:
        return shape.model_validate_json(bare)
    except ValidationError as error:
        raise UnacceptableAnswerError(complaint(error)) from None


def readable(shape: type[ShapeT], part: object) -> ShapeT | str:
    """Parse one part of an answer as `shape`; if the part is invalid, return the reason."""
    try:
        return shape.model_validate(part)
    except ValidationError as error:
        return complaint(error)


def complaint(error: ValidationError) -> str:
    """Why an answer is invalid, without its text: events and the ledger contain no content."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"{where or 'answer'}: {first['msg']}"[:200]
