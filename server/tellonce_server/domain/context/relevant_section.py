"""The section of a context that shows the search results that no other section shows. Pure."""

from collections.abc import Collection, Sequence

from tellonce_server.domain.context import lines as form
from tellonce_server.domain.context.budget import take
from tellonce_server.domain.context.draft import Draft
from tellonce_server.domain.retrieval.search_results import Result
from tellonce_server.store.messages import Line


def unseen(
    draft: Draft, results: Sequence[Result], messages: Sequence[Line], memories: Collection[int] = ()
) -> list[Result]:
    """The results that no other section shows. The history shows only a summary of a routine's message, so the full
    text of such a message counts as not shown."""
    seen = {
        "message": {line.id for line in messages if line.routine is None},
        "summary": set(draft.included.get("summaries", ())),
    }
    of_memories = set(memories)
    return [result for result in results if result.id not in seen.get(result.kind, of_memories)]


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
            self._draft.note(f"relevant {result.kind}", [result.id])
