"""The memories of one context that fit their share, under one heading per kind. Pure."""

from collections.abc import Sequence

from tellonce_server.domain.context import lines as form
from tellonce_server.domain.context.budget import cost, take
from tellonce_server.domain.context.draft import Draft
from tellonce_server.store.context import Remembered


class Memories:
    """Filled in two steps, pinned memories first, and written after both."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._kept: list[tuple[Remembered, str]] = []
        self._spent = 0
        self._open = False

    @property
    def ids(self) -> list[int]:
        """The ids of the memories shown."""
        return [memory.id for memory, _ in self._kept]

    def fill(self, ordered: Sequence[Remembered]) -> None:
        """Add the memories that fit into the rest of the share."""
        draft = self._draft
        # A note consists of the user's own words, so it is omitted if the context already shows its message.
        ordered = [x for x in ordered if x.pinned or not (x.note and draft.says(x.content))]
        if not ordered or not self._opened():
            return
        # Each kind costs its heading. The headings of all kinds that may occur are paid for in advance.
        headings = sum(cost(title) for title in {_heading(memory) for memory in ordered})
        room = draft.shares.memories - self._spent if draft.token_budget.pay(headings) else 0
        taken = take(ordered, lambda x: form.memory_line(x, draft.material.view), room, draft.token_budget, dense=True)
        self._spent += taken.cost
        draft.omit("memory", [ordered[i].id for i in taken.left], "memories budget")
        self._kept += [(ordered[i], text) for i, text in zip(taken.kept, taken.texts, strict=True)]
        for text in taken.texts:
            draft.say(text)

    def write(self) -> None:
        blocks: dict[str, list[str]] = {title: [] for title in form.KIND_TITLES.values()}
        for memory, text in self._kept:
            blocks[_heading(memory)].append(text)
        self._draft.bodies["memories"] = "\n".join(
            "\n".join([title, *block]) for title, block in blocks.items() if block
        )
        self._draft.note("memories", self.ids)

    def _opened(self) -> bool:
        self._open = self._open or self._draft.opens("memories")
        return self._open


def _heading(memory: Remembered) -> str:
    return form.KIND_TITLES["pin" if memory.pinned else memory.kind]
