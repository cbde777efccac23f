"""What models are asked to return, as JSON schemas, and the check that a text is that JSON; knows no prompt."""

from typing import TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

ShapeT = TypeVar("ShapeT", bound=BaseModel)


class UnacceptableAnswerError(Exception):
    """A model answered, but not with what was asked for; the text says what is wrong."""


class Shape(BaseModel):
    """Unknown fields are passed over: a model that adds one has still answered."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class ItemShape(Shape):
    text: str
    quote: str
    source_ids: list[int]
    due: str | None = None
    importance: float | None = None
    pin: bool = False


class ListsShape(Shape):
    facts: list[ItemShape] = []
    preferences: list[ItemShape] = []
    goals: list[ItemShape] = []
    dates: list[ItemShape] = []


class CanonicalShape(Shape):
    user_confirmed: str = Field("", description="New lines only.")
    llm_inferred: str = Field("", description="New lines only.")
    general_summary: str = Field("", description="One or two new lines.")
    obsolete: list[str] = Field([], description="Lines of PRIOR that are no longer true, copied exactly.")


class ExtractionShape(Shape):
    certain: ListsShape
    uncertain: ListsShape


class ExchangeShape(ExtractionShape):
    canonical: CanonicalShape


class SummaryShape(Shape):
    paragraph: str
    goals: list[str] = []
    decisions: list[str] = []
    facts: list[str] = []
    outcomes: list[str] = []
    pending: list[str] = []


def read(shape: type[ShapeT], text: str) -> ShapeT:
    """The answer as `shape`; a code fence round the JSON is forgiven.

    Raises:
        UnacceptableAnswerError: it is not JSON, or not of that shape.
    """
    bare = text.strip().removeprefix("```json").removeprefix("```").removesuffix("```").strip()
    try:
        return shape.model_validate_json(bare)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise UnacceptableAnswerError(f"{where or 'answer'}: {first['msg']}"[:200]) from None
