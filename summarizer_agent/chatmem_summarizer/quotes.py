"""Finds the words a model says it quotes; a statement whose quote nobody wrote is dropped."""

import re
from collections.abc import Sequence
from datetime import date, datetime, time
from zoneinfo import ZoneInfo

from pydantic import ValidationError

from chatmem.work import ExtractedItem, ExtractedLists, Extraction, WorkMessage
from chatmem_summarizer.answers import ExtractionShape, ItemShape, ListsShape

_KINDS = ("facts", "preferences", "goals", "dates")
_APOSTROPHES = re.compile(r"['’‘ʼ´]")
_QUOTES = re.compile(r"[\"“”„«»]")
_LONGEST_TEXT = 600
_LONGEST_QUOTE = 2000


def grounded(shape: ExtractionShape, messages: Sequence[WorkMessage], zone: ZoneInfo) -> tuple[Extraction, int]:
    """The items whose quote stands in one of the user's own messages, and how many were dropped."""
    own = [message for message in messages if message.role == "user" and not message.routine]
    certain, lost = _lists(shape.certain, own, zone)
    uncertain, lost_too = _lists(shape.uncertain, own, zone)
    return Extraction(certain=certain, uncertain=uncertain), lost + lost_too


def _lists(shape: ListsShape, own: Sequence[WorkMessage], zone: ZoneInfo) -> tuple[ExtractedLists, int]:
    kept: dict[str, tuple[ExtractedItem, ...]] = {}
    claimed = 0
    for kind in _KINDS:
        items: list[ItemShape] = getattr(shape, kind)
        claimed += len(items)
        found = (_item(item, own, zone, kind) for item in items)
        kept[kind] = tuple(item for item in found if item is not None)
    return ExtractedLists(**kept), claimed - sum(len(items) for items in kept.values())


def _item(item: ItemShape, own: Sequence[WorkMessage], zone: ZoneInfo, kind: str) -> ExtractedItem | None:
    cited = [message for message in own if message.id in item.source_ids]
    for message in (*cited, *(message for message in own if message not in cited)):
        quote = verbatim(item.quote, message.text)
        if quote:
            return _built(item, quote, message.id, due(item.due, zone, end_of_day=kind == "goals"))
    return None


def _built(item: ItemShape, quote: str, source: int, moment: datetime | None) -> ExtractedItem | None:
    importance = None if item.importance is None else min(1.0, max(0.0, item.importance))
    try:
        return ExtractedItem(
            text=item.text.strip()[:_LONGEST_TEXT],
            quote=quote[:_LONGEST_QUOTE],
            source_ids=(source,),
            due=moment,
            importance=importance,
            pin=item.pin,
        )
    except ValidationError:
        return None


def verbatim(quote: str, text: str) -> str:
    """The place in `text` that `quote` copies, as written there; white space, case and quotation marks may differ."""
    words = quote.strip(" \n\t\"“”'").split()
    if not words:
        return ""
    pattern = r"\s+".join(_loose(word) for word in words)
    match = re.search(pattern, text, re.IGNORECASE)
    return match.group() if match else ""


def _loose(word: str) -> str:
    escaped = re.escape(word)
    return _QUOTES.sub('["“”„«»]', _APOSTROPHES.sub("['’‘ʼ´]", escaped))


def due(text: str | None, zone: ZoneInfo, *, end_of_day: bool) -> datetime | None:
    """A day or a moment as a model writes it, in the user's zone; None for anything else."""
    try:
        day = date.fromisoformat((text or "").strip())
        return datetime.combine(day, time(23, 59) if end_of_day else time(0), zone)
    except ValueError:
        pass
    try:
        moment = datetime.fromisoformat((text or "").strip())
    except ValueError:
        return None
    return moment.replace(tzinfo=zone) if moment.tzinfo is None else moment
