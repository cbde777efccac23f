"""Converts a model's items to items of the contract one by one, so that an invalid item does not affect the others."""

import re
from calendar import monthrange
from collections.abc import Callable, Sequence
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from pydantic import ValidationError

from tellonce.reasons import reason
from tellonce.work import ExchangeInput, ExchangeItem, Quote, When, WorkMessage
from tellonce_summarizer.keep.sentences import user_messages
from tellonce_summarizer.models.answers import (
    ItemShape,
    QuoteShape,
    UnacceptableAnswerError,
    WhenShape,
    complaint,
    readable,
)

MOST = 60
MOST_CATEGORIES, LONGEST_CATEGORY = 6, 40
_LONGEST_QUOTE = 2000
_APOSTROPHES = re.compile(r"['’‘ʼ´]")
_QUOTATION_MARKS = re.compile(r"[\"“”„«»]")

Drop = Callable[[str], None]
"""A function that is called with the reason why an item is dropped."""


def items(raw: Sequence[object], work: ExchangeInput, drop: Drop) -> tuple[ExchangeItem, ...]:
    """The usable items. If `raw` is not empty, at least one usable item must quote a person. Otherwise, raises
    UnacceptableAnswerError. Items with invented quotes are also returned, because the server checks and counts them."""
    kept = [item for item in (_item(part, work, drop) for part in raw[:MOST]) if item is not None]
    for _ in raw[MOST:]:
        drop("too many items")
    if raw and not any(_quotes_somebody(item, work.messages) for item in kept):
        raise UnacceptableAnswerError(f"none of {len(raw)} items is usable and quotes the user")
    return tuple(kept)


def _quotes_somebody(item: ExchangeItem, messages: Sequence[WorkMessage]) -> bool:
    said = user_messages(messages)
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
    # If the deadline cannot be parsed, the item is not dropped, but becomes uncertain.
    deadline = last_moment(shape.deadline, zone)
    unreadable = bool((shape.deadline or "").strip()) and deadline is None
    when = _when(shape.when, zone)
    if shape.kind == "date" and deadline is None and when is not None:
        deadline = _shown_until(when)
    doubt = (shape.doubt or "").strip() or (reason("deadline_unreadable") if unreadable else "")
    return ExchangeItem(
        text=" ".join(shape.text.split()),
        kind=shape.kind,
        about=shape.about.strip() or "user",
        scope=shape.scope,
        quotes=tuple(_quote(quote, user_messages(work.messages)) for quote in shape.quotes if quote.text.strip()),
        when=when,
        deadline=deadline,
        certain=shape.certain and not unreadable,
        doubt=doubt[:200] or None,
        importance=0.5 if shape.importance is None else min(1.0, max(0.0, shape.importance)),
        pin=bool(shape.pin),
        user_name=" ".join((shape.user_name or "").split())[:64] or None,
        categories=_categories(shape.categories),
        same_as=shape.same_as or None,
        replaces=tuple(dict.fromkeys(shape.replaces)),
        ends=tuple(dict.fromkeys(shape.ends)),
    )


def _shown_until(when: When) -> datetime | None:
    """A memory of kind `date` is shown until the end of its span, or the start of its day or time."""
    several = when.start is not None and when.end is not None and when.end - when.start >= timedelta(days=1)
    return when.end if several else when.start


def _categories(names: Sequence[str]) -> tuple[str, ...]:
    folded = (" ".join(name.casefold().split()) for name in names)
    return tuple(dict.fromkeys(name for name in folded if 0 < len(name) <= LONGEST_CATEGORY))[:MOST_CATEGORIES]


def _quote(quote: QuoteShape, said: Sequence[WorkMessage]) -> Quote:
    """The server checks a quote that is in no message."""
    number, text = placed(quote.text, quote.message_id, said) or (quote.message_id, quote.text.strip())
    return Quote(message_id=number, text=text[:_LONGEST_QUOTE])


def placed(words: str, number: int, said: Sequence[WorkMessage]) -> tuple[int, str] | None:
    """The message that contains `words`, and the words as written there. `number` is tried first."""
    for message in sorted(said, key=lambda message: message.id != number):
        found = verbatim(words, message.text)
        if found:
            return message.id, found
    return None


def verbatim(quote: str, text: str) -> str:
    """The part of `text` that matches; white space, case and quotation marks may differ. Empty if none."""
    words = quote.strip(" \n\t\"“”'").split()
    if not words:
        return ""
    pattern = r"\s+".join(_loose(word) for word in words)
    match = re.search(pattern, text, re.IGNORECASE)
    return match.group() if match else ""


def _loose(word: str) -> str:
    escaped = re.escape(word)
    return _QUOTATION_MARKS.sub('["“”„«»]', _APOSTROPHES.sub("['’‘ʼ´]", escaped))


def _when(shape: WhenShape | None, zone: ZoneInfo) -> When | None:
    if shape is None:
        return None
    start, end = first_moment(shape.start, zone), last_moment(shape.end, zone)
    if start is None and end is None:
        return None
    return When(start=start, end=_after(start, end), precision=shape.precision)


def _after(start: datetime | None, end: datetime | None) -> datetime | None:
    return None if start and end and end < start else end


_MONTH = re.compile(r"(\d{4})(?:-(\d{1,2}))?")


def first_moment(written: str | None, zone: ZoneInfo) -> datetime | None:
    """The first minute of a written time: `2026-03 -> 2026-03-01 00:00`. None for other texts."""
    return _moment(written, zone, at_end=False)


def last_moment(written: str | None, zone: ZoneInfo) -> datetime | None:
    """The last minute of a written time: `2026-03 -> 2026-03-31 23:59`. None for other texts."""
    return _moment(written, zone, at_end=True)


def _moment(written: str | None, zone: ZoneInfo, *, at_end: bool) -> datetime | None:
    text = (written or "").strip()
    try:
        day = _day(text, at_end=at_end)
        if day is not None:
            return datetime.combine(day, time(23, 59) if at_end else time(0), zone)
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment.replace(tzinfo=zone) if moment.tzinfo is None else moment


def _day(text: str, *, at_end: bool) -> date | None:
    """For a month or a year, its first or last day. None if the text has a time of day."""
    match = _MONTH.fullmatch(text)
    if match is None:
        return date.fromisoformat(text) if len(text) == 10 else None
    year, month = int(match[1]), int(match[2] or (12 if at_end else 1))
    return date(year, month, monthrange(year, month)[1] if at_end else 1)
