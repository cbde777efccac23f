"""The section of a context that shows the search results that no other section shows. Pure."""

from collections.abc import Collection, Iterator, Sequence
from typing import TypeAlias

from tellonce_server.domain.context import lines as form
from tellonce_server.domain.context.budget import take
from tellonce_server.domain.context.canonical_summary import statement
from tellonce_server.domain.context.draft import Draft
from tellonce_server.domain.retrieval.search_results import Result
from tellonce_server.store.messages import Line

Place: TypeAlias = tuple[int | None, int]
"""The number of a message, and its chat if that is another chat."""


def unseen(
    draft: Draft, results: Sequence[Result], messages: Sequence[Line], memories: Collection[int] = ()
) -> list[Result]:
    """The results that no other section shows. Of a routine's message, the history may show only a summary or the
    beginning; then the full text counts as not shown."""
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
    """The messages whose whole text is in the quoted message's section or among the messages from elsewhere."""
    rows, around = draft.material.rows, draft.material.around
    beside = [*rows.elsewhere.left, *(line for talk in rows.elsewhere.replies for line in talk.lines)]
    quoted = [*around, *([rows.quoted] if rows.quoted is not None else [])]
    yield from ((None, line.id) for line in _whole(draft.bodies.get("quoted", ""), quoted))
    yield from ((None, line.id) for line in _whole(draft.bodies.get("elsewhere", ""), beside))
    for talk in rows.elsewhere.others:
        yield from ((talk.chat_id, line.id) for line in _whole(draft.bodies.get("elsewhere", ""), talk.lines))


def _whole(section: str, lines: Sequence[Line]) -> list[Line]:
    """The messages whose whole text the section contains."""
    short = [line for line in lines if line.routine is None and len(line.content) <= len(section)]
    return [
        line for line in short if statement(form.body(line.content), quoted=False) in statement(section, quoted=False)
    ]


class Relevant:
    """Search results. The results may be added in several steps, the most important results first, and are written in
    time order."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._kept: list[tuple[Result, str]] = []
        self._left: list[Result] = []

    def fill(self, results: Sequence[Result], share: int | None = None) -> None:
        """Add the results that fit. `results` are in rank order. They may use `share` tokens, by default all
        tokens that are left of the budget."""
        draft = self._draft
        if not results or not draft.opens("relevant"):
            return
        view = draft.material.view
        room = draft.token_budget.left if share is None else share
        taken = take(
            results,
            lambda result: form.result_line(result, view),
            room,
            draft.token_budget,
            dense=True,
            least=form.least_cost,
        )
        self._kept += [(results[index], text) for index, text in zip(taken.kept, taken.texts, strict=True)]
        for text in taken.texts:
            draft.say(text)
        self._left += [results[index] for index in taken.left]

    @property
    def summaries(self) -> set[int]:
        """The ids of the chunk summaries that this section shows."""
        return {result.id for result, _ in self._kept if result.kind == "summary"}

    def write(self) -> None:
        kept = {(result.kind, result.chat_id, result.id) for result, _ in self._kept}
        for result in self._left:
            if (result.kind, result.chat_id, result.id) not in kept:
                self._draft.omit(result.kind, [result.id], "relevant budget")
        in_time = sorted(self._kept, key=lambda pair: pair[0].at)
        self._draft.bodies["relevant"] = "\n".join(text for _, text in in_time)
        for result, _ in self._kept:
            chat, number = _place(self._draft, result)
            self._draft.note(f"relevant {result.kind}" + (f" in chat {chat}" if chat else ""), [number])
