"""Extraction without a language model: what the user says of themselves in plain English, by rule; invents nothing."""

import re
from collections.abc import Iterable, Iterator
from zoneinfo import ZoneInfo

from chatmem.work import ExchangeInput, ExtractedItem, ExtractedLists, Extraction, WorkMessage
from chatmem_summarizer.clauses import Clause, clauses
from chatmem_summarizer.own_words import sentences
from chatmem_summarizer.rules import ORDER, Draft, Scene
from chatmem_summarizer.rules.relations import mentioned

_LONGEST_TEXT = 300
_LONGEST_QUOTE = 1000
_MASKED = re.compile(
    r"\[(?:masked|secret|redacted|hidden)[^\]]*\]|\*{4,}|•{3,}|<(?:masked|secret|redacted)[^>]*>", re.I
)
_POINTS = re.compile(r"\b(?:it|them|that|this|those|these|him|her)$", re.I)
"""`I'm allergic to them`: of whom or what stands elsewhere."""


def extract(work: ExchangeInput) -> Extraction:
    """Everything certain and uncertain in the user's own messages of an exchange."""
    return extract_from(work.messages, ZoneInfo(work.timezone))


def extract_from(messages: Iterable[WorkMessage], zone: ZoneInfo) -> Extraction:
    """The same over any messages; those of the assistant are passed over."""
    certain: dict[str, list[ExtractedItem]] = {}
    uncertain: dict[str, list[ExtractedItem]] = {}
    for message in messages:
        if message.role != "user" or message.routine:
            continue
        for clause, draft in drafts(message, zone):
            lists = uncertain if clause.hedged else certain
            _add(lists.setdefault(draft.kind, []), _item(message, clause, draft))
    return Extraction(certain=_lists(certain), uncertain=_lists(uncertain))


def drafts(message: WorkMessage, zone: ZoneInfo) -> Iterator[tuple[Clause, Draft]]:
    """What the rules find in one message, in the order said."""
    scene = Scene(message.at.astimezone(zone))
    found = sentences(message.text)
    for sentence, after in zip(found, [*found[1:], None], strict=False):
        for clause in clauses(sentence, after):
            for draft in _matches(clause, scene):
                yield clause, draft


def _matches(clause: Clause, scene: Scene) -> Iterator[Draft]:
    if _POINTS.search(clause.text):
        return
    hits = (rule(clause, scene) for rule in ORDER)
    best = next((hit for hit in hits if hit is not None), None)
    beside = mentioned(clause, scene)
    if best is not None and _worth_keeping(best):
        yield best
    if beside is not None and not (best and _names(best.text, beside.text)):
        yield beside


def _names(text: str, relation: str) -> bool:
    """Whether the main statement already tells who the relation is."""
    who, _, name = relation.partition(" is ")
    return who.lower() in text.lower() and name.lower() in text.lower()


def _worth_keeping(draft: Draft) -> bool:
    return not _MASKED.search(draft.text) and len(re.findall(r"\w{2,}", draft.text)) >= 2


def _item(message: WorkMessage, clause: Clause, draft: Draft) -> ExtractedItem:
    return ExtractedItem(
        text=_clipped(_softened(draft.text) if clause.hedged else draft.text),
        quote=clause.quote[:_LONGEST_QUOTE],
        source_ids=(message.id,),
        due=draft.due,
        importance=draft.importance,
        pin=draft.pin and not clause.hedged,
    )


def _softened(text: str) -> str:
    """`Maybe I'll …` lost its `maybe` on the way."""
    return re.sub(r"^Will\b", "Might", text)


def _clipped(text: str) -> str:
    if len(text) <= _LONGEST_TEXT:
        return text
    return text[:_LONGEST_TEXT].rsplit(" ", 1)[0].rstrip(" ,;") + " …"


def _add(items: list[ExtractedItem], new: ExtractedItem) -> None:
    if all(item.text.casefold() != new.text.casefold() for item in items):
        items.append(new)


def _lists(found: dict[str, list[ExtractedItem]]) -> ExtractedLists:
    return ExtractedLists(**{kind: tuple(items) for kind, items in found.items()})
