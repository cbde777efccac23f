"""The section of search results, without results that another section shows. Pure."""

from collections.abc import Collection, Iterator, Sequence
from datetime import date
from operator import attrgetter
from typing import TypeAlias

from tellonce.contract_types import MEMORY_KINDS
from tellonce_server.domain.context import lines as form
from tellonce_server.domain.context.budget import cost
from tellonce_server.domain.context.canonical_summary import statement
from tellonce_server.domain.context.draft import Draft
from tellonce_server.domain.retrieval.search_results import Result
from tellonce_server.store.messages import Line

Place: TypeAlias = tuple[int | None, int]
"""The chat and the number of a result. The chat is None, except for a message from another chat."""

Day: TypeAlias = tuple[date, int | None, str | None]
"""A day, with a chat and a thread (`lines.shared_day`)."""


def unseen(
    draft: Draft, results: Sequence[Result], messages: Sequence[Line], memories: Collection[int] = ()
) -> list[Result]:
    """The results that no other section shows. A routine's message that is shown only as a summary counts as unseen."""
    shown: set[Place] = {(None, line.id) for line in messages if form.is_whole(line)}
    seen: dict[str, set[Place]] = {
        "message": shown.union(_beside(draft)),
        "summary": {(None, number) for number in draft.included.get("summaries", ())},
    }
    of_memories = {(None, number) for number in memories}
    return [result for result in results if _place(draft, result) not in seen.get(result.kind, of_memories)]


def _place(draft: Draft, result: Result) -> Place:
    is_elsewhere = result.kind == "message" and result.chat_id in draft.material.names
    return (result.chat_id if is_elsewhere else None), result.id


def _beside(draft: Draft) -> Iterator[Place]:
    """The messages that `quoted` or `elsewhere` show whole."""
    rows, around = draft.material.rows, draft.material.around
    beside = [*rows.elsewhere.left, *(line for talk in rows.elsewhere.replies for line in talk.lines)]
    quoted = [*around, *([rows.quoted] if rows.quoted is not None else [])]
    yield from ((None, line.id) for line in _whole(draft.bodies.get("quoted", ""), quoted))
    yield from ((None, line.id) for line in _whole(draft.bodies.get("elsewhere", ""), beside))
    for talk in rows.elsewhere.others:
        yield from ((talk.chat_id, line.id) for line in _whole(draft.bodies.get("elsewhere", ""), talk.lines))


def _whole(section: str, lines: Sequence[Line]) -> list[Line]:
    short = [line for line in lines if line.routine is None and len(line.content) <= len(section)]
    return [
        line for line in short if statement(form.body(line.content), quoted=False) in statement(section, quoted=False)
    ]


class Relevant:
    """Search results, added in steps and written in time order. Of several messages of one day, chat and thread, only
    the first has the date."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._kept: list[Result] = []
        self._left: list[Result] = []
        self._days: set[Day] = set()

    def fill(self, results: Sequence[Result], share: int | None = None) -> None:
        """Add the results that fit into `share` tokens, by default the rest of the budget. `results` are in rank order."""
        draft = self._draft
        if not results or not draft.opens("relevant"):
            return
        room = draft.token_budget.left if share is None else share
        for result in results:
            room -= self._add(result, room)

    def _add(self, result: Result, room: int) -> int:
        """Add one result if it costs at most `room` tokens. Returns its tokens, or 0 if it does not fit."""
        draft = self._draft
        view, most = draft.material.view, min(room, draft.token_budget.left)
        day = form.shared_day(result, view)
        # A text that is certainly too long is not rendered.
        text = form.result_line(result, view, dated=day not in self._days) if form.least_cost(result) <= most else ""
        price = cost(text)
        if not text or price > most:
            self._left.append(result)
            return 0
        draft.token_budget.pay(price)
        draft.say("relevant", text)
        self._kept.append(result)
        if day is not None:
            self._days.add(day)
        return price

    def remove_repeated(self) -> None:
        """Remove messages that another section now shows. Another message of their day may now need the date, so the
        tokens of the date are not given back."""
        draft, beside = self._draft, set(_beside(self._draft))
        repeated = [result for result in self._kept if self._is_repeated(result, beside)]
        self._kept = [result for result in self._kept if result not in repeated]
        draft.token_budget.left += sum(
            cost(form.result_line(result, draft.material.view, dated=False)) for result in repeated
        )

    def _is_repeated(self, result: Result, beside: Collection[Place]) -> bool:
        draft = self._draft
        return result.kind == "message" and (_place(draft, result) in beside or draft.tells(result.text, result.at))

    @property
    def summaries(self) -> set[int]:
        """The ids of the chunk summaries that this section shows."""
        return {result.id for result in self._kept if result.kind == "summary"}

    @property
    def memories(self) -> set[int]:
        """The ids of the memories that this section shows."""
        return {result.id for result in self._kept if result.kind in MEMORY_KINDS}

    def write(self) -> None:
        kept = {(result.kind, result.chat_id, result.id) for result in self._kept}
        for result in self._left:
            if (result.kind, result.chat_id, result.id) not in kept:
                self._draft.omit(result.kind, [result.id], "relevant budget")
        self._draft.bodies["relevant"] = "\n".join(self._lines())
        for result in self._kept:
            chat, number = _place(self._draft, result)
            self._draft.note(f"relevant {result.kind}" + (f" in chat {chat}" if chat else ""), [number])

    def _lines(self) -> Iterator[str]:
        view, groups = self._draft.material.view, dict[object, list[Result]]()
        for result in sorted(self._kept, key=attrgetter("at")):
            groups.setdefault(form.shared_day(result, view) or id(result), []).append(result)
        for first, *others in groups.values():
            yield form.result_line(first, view)
            yield from (form.result_line(result, view, dated=False) for result in others)
