"""The public contract of `forget`: the request, the preview and the result of an erasure."""

import re
from collections.abc import Iterable, Set
from typing import Annotated

from pydantic import AwareDatetime, ConfigDict, Field, model_validator

from tellonce.contract_types import (
    ABSENT_IF_EMPTY,
    ChatPlace,
    Contract,
    End,
    ForgetLabel,
    Moment,
    ResultKind,
    RowId,
    Text,
)
from tellonce.server_text import ServerText


class ForgetArgs(ChatPlace):
    model_config = ConfigDict(validate_by_name=True)

    topic: Text | None = Field(default=None, description="Name or subject.")
    literal: Text | None = Field(default=None, description="Exact characters.")
    memory_ids: Annotated[Annotated[tuple[RowId, ...], Field(max_length=1000)] | None, ABSENT_IF_EMPTY] = Field(
        default=None, description="Memory numbers."
    )
    message_ids: Annotated[Annotated[tuple[RowId, ...], Field(max_length=1000)] | None, ABSENT_IF_EMPTY] = Field(
        default=None, description="This chat's messages."
    )
    since: Moment | None = Field(default=None, description="ISO 8601.")
    until: End | None = Field(default=None, description="Inclusive.")
    everything: bool = Field(default=False, description="Named conversation, or all.")
    except_: Annotated[tuple[RowId, ...], Field(max_length=100_000)] | None = Field(
        default=None, alias="except", description="Ticked ones to keep."
    )
    also: Annotated[tuple[RowId, ...], Field(max_length=10_000)] | None = Field(
        default=None, description="Unticked ones to erase."
    )
    confirm: Text | None = Field(default=None, description="The preview's token.")
    include_messages: bool = Field(default=True, description="False keeps messages.")

    @model_validator(mode="after")
    def _one_target(self) -> "ForgetArgs":
        named = (self.topic, self.literal, self.memory_ids, self.message_ids, self.since or self.until)
        if sum(target is not None for target in named) + self.everything != 1:
            also = " beside confirm, as in the preview" if self.confirm is not None else ""
            targets = "topic, literal, memory_ids, message_ids, since/until, everything"
            raise ValueError(f"name exactly one of {targets}{also}")
        return self


class ForgetMatch(Contract):
    """One match of a preview. `ref` is the number of a memory or message. A match that sets `others` represents all
    other texts, such as summaries. Its `ref` is 0, and its `text` is a sentence of one of these texts."""

    id: int = Field(description="For except and also.")
    kind: ResultKind
    chat_id: int | None
    ref: int
    text: str
    at: AwareDatetime
    match: ForgetLabel | None = Field(
        description="exact: the words as given, or a number of five or more digits with any separators. number: two to "
        "four digits with other separators. form: another form of the words, or inside a longer word. null for a "
        "related text, which need not contain the words."
    )
    others: dict[str, int] = Field(default={}, description="The numbers of these other texts, by kind.")
    goes: tuple[str, ...] = Field(default=(), description="The sentences that go if only a part of the text goes.")
    beside: tuple[str, ...] = Field(
        default=(), description="The other sentences of a memory, which go too: a memory goes as a whole."
    )
    ticked: bool = Field(description="Erased, unless in except. If false: kept, unless in also.")


class Forgotten(Contract):
    """A preview or the counts of an erasure. In a preview, `confirm` is set, and nothing is deleted. After an erasure,
    `receipt` is set.

    If neither is set, nothing was erased; `notes` say why.
    """

    matches: tuple[ForgetMatch, ...] = ()
    related: tuple[ForgetMatch, ...] = Field(default=(), description="Not erased; forget by memory_ids or message_ids.")
    unlisted: int = Field(
        default=0, description="Number of matches beyond the list. In a preview, the ticked ones are erased too."
    )
    would_erase: dict[str, int] = {}
    confirm: str | None = None
    erased: dict[str, int] = {}
    traces_left: int | None = Field(
        default=None, description="Number of texts that still contain it. It is forgotten only at 0."
    )
    left: tuple[ForgetMatch, ...] = Field(default=(), description="Some of these texts.")
    kept: tuple[ForgetMatch, ...] = Field(
        default=(), description="Matches of the preview that were not selected and stay."
    )
    receipt: str | None = None
    notes: tuple[ServerText, ...] = Field(default=(), description="Tell the user.")


_RANGE = re.compile(r"([0-9]{1,6})(?:-([0-9]{1,6}))?")
_DASH = re.compile(r"(?<!\s)\s*+[-–]\s*+")


def ticked(matches: Iterable[ForgetMatch]) -> frozenset[int]:
    """The numbers of the ticked matches."""
    return frozenset(match.id for match in matches if match.ticked)


def selection(numbers: Set[int], ticked: Set[int]) -> dict[str, tuple[int, ...]]:
    """The arguments `except_` and `also` of a call that erases exactly the matches with these numbers."""
    return {"except_": tuple(sorted(ticked - numbers)), "also": tuple(sorted(numbers - ticked))}


def picked(said: str, count: int) -> frozenset[int] | None:
    """The numbers in a selection such as `all`, `none` or `1,3-5`. None if the text is not a selection."""
    said = said.strip().lower().rstrip(".,;")
    if said in ("all", "none"):
        return frozenset(range(1, count + 1)) if said == "all" else frozenset()
    parts = [part for part in re.split(r"[,;\s]+", _DASH.sub("-", said)) if part]
    found = [match for part in parts if (match := _RANGE.fullmatch(part))]
    ranges = [(int(match[1]), int(match[2] or match[1])) for match in found]
    if len(found) < len(parts) or any(first < 1 or last > count for first, last in ranges):
        return None
    return frozenset(number for first, last in ranges for number in range(first, last + 1)) or None
