"""Converts a model's items to the contract's one by one, so that an invalid one does not affect others."""

from collections.abc import Callable, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from pydantic import ValidationError

from tellonce.work import ExchangeInput, ExchangeItem, Quote, When, WorkMessage
from tellonce_summarizer.models.answers import (
    ItemShape,
    QuoteShape,
    UnacceptableAnswerError,
    WhenShape,
    complaint,
    readable,
)
from tellonce_summarizer.moments import first_moment, last_moment
from tellonce_summarizer.quotes import own, placed

MOST = 60
_LONGEST_QUOTE = 2000

Drop = Callable[[str], None]
"""Called with the reason an item is dropped."""


def items(raw: Sequence[object], work: ExchangeInput, drop: Drop) -> tuple[ExchangeItem, ...]:
    """The usable items. Raises UnacceptableAnswerError if there are some and none is usable or has a real quote.

    A single item with a quote that nobody said is left to the server's check, which counts and reports it.
    """
    kept = [item for item in (_item(part, work, drop) for part in raw[:MOST]) if item is not None]
    for _ in raw[MOST:]:
        drop("too many items")
    if raw and not any(_quotes_somebody(item, work.messages) for item in kept):
        raise UnacceptableAnswerError(f"none of {len(raw)} items is usable and quotes the user")
    return tuple(kept)


def _quotes_somebody(item: ExchangeItem, messages: Sequence[WorkMessage]) -> bool:
    said = own(messages)
    return any(placed(quote.text, quote.message_id, said) for quote in item.quotes)


def _item(part: object, work: ExchangeInput, drop: Drop) -> ExchangeItem | None:
    shape = readable(ItemShape, part)
    if isinstance(shape, str):
        drop(shape)
        return None
    try:
        return _built(shape, work)
    except ValidationError as error:
        drop(complaint(error))
        return None


def _built(shape: ItemShape, work: ExchangeInput) -> ExchangeItem:
    zone = ZoneInfo(work.timezone)
    # A deadline that cannot be parsed makes the item uncertain instead of dropping it.
    deadline = last_moment(shape.deadline, zone)
    unreadable = bool((shape.deadline or "").strip()) and deadline is None
    when = _when(shape.when, zone)
    if shape.kind == "date" and deadline is None and when is not None:
        deadline = when.start  # a date is shown by its deadline, and becomes history after it
    doubt = (shape.doubt or "").strip() or ("its deadline could not be read" if unreadable else "")
    return ExchangeItem(
        text=" ".join(shape.text.split()),
        kind=shape.kind,
        about=shape.about.strip() or "user",
        scope=shape.scope,
        quotes=tuple(_quote(quote, own(work.messages)) for quote in shape.quotes if quote.text.strip()),
        when=when,
        deadline=deadline,
        certain=shape.certain and not unreadable,
        doubt=doubt[:200] or None,
        importance=0.5 if shape.importance is None else min(1.0, max(0.0, shape.importance)),
        pin=bool(shape.pin),
        user_name=" ".join((shape.user_name or "").split())[:64] or None,
        same_as=shape.same_as or None,
        replaces=tuple(dict.fromkeys(shape.replaces)),
        ends=tuple(dict.fromkeys(shape.ends)),
    )


def _quote(quote: QuoteShape, said: Sequence[WorkMessage]) -> Quote:
    """The quote as written in the message; one that nobody said stays unchanged, for the server to judge."""
    number, text = placed(quote.text, quote.message_id, said) or (quote.message_id, quote.text.strip())
    return Quote(message_id=number, text=text[:_LONGEST_QUOTE])


def _when(shape: WhenShape | None, zone: ZoneInfo) -> When | None:
    if shape is None:
        return None
    start, end = first_moment(shape.start, zone), last_moment(shape.end, zone)
    if start is None and end is None:
        return None
    return When(start=start, end=_after(start, end), precision=shape.precision)


def _after(start: datetime | None, end: datetime | None) -> datetime | None:
    return None if start and end and end < start else end
