"""The section of what a question calls to mind, beyond what the other sections show; pure."""

from collections.abc import Collection, Sequence

from tellonce_server.domain.context import lines as form
from tellonce_server.domain.context.budget import take
from tellonce_server.domain.context.draft import Draft
from tellonce_server.domain.retrieval.results import Hit
from tellonce_server.store.messages import Line


def unseen(draft: Draft, hits: Sequence[Hit], messages: Sequence[Line], memories: Collection[int] = ()) -> list[Hit]:
    """Hits that no other section shows. A routine stands in the history by its summary only, so its text is not seen yet."""
    seen = {
        "message": {line.id for line in messages if line.routine is None},
        "summary": set(draft.included.get("summaries", ())),
    }
    of_memories = set(memories)
    return [hit for hit in hits if hit.id not in seen.get(hit.kind, of_memories)]


class Relevant:
    """May be filled more than once, what matters most first; written in the order of time."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._kept: list[tuple[Hit, str]] = []
        self._open = False

    def fill(self, hits: Sequence[Hit]) -> None:
        """What fits of these, which stand in rank order, into what is left of the budget."""
        draft = self._draft
        if not hits or not self._opened():
            return
        view = draft.material.view
        room = draft.token_budget.left
        taken = take(
            hits, lambda hit: form.hit_line(hit, view), room, draft.token_budget, dense=True, least=form.least_cost
        )
        self._kept += [(hits[index], text) for index, text in zip(taken.kept, taken.texts, strict=True)]
        for text in taken.texts:
            draft.say(text)
        for index in taken.left:
            draft.omit(hits[index].kind, [hits[index].id], "relevant budget")

    def write(self) -> None:
        in_time = sorted(self._kept, key=lambda pair: pair[0].at)
        self._draft.bodies["relevant"] = "\n".join(text for _, text in in_time)
        for hit, _ in self._kept:
            self._draft.note(f"relevant {hit.kind}", [hit.id])

    def _opened(self) -> bool:
        self._open = self._open or self._draft.opens("relevant")
        return self._open
