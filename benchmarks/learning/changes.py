"""Measures whether a change in the user's life replaces the old statement after the next exchange. If a new statement
only looks like a change, the old statement must stay."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from benchmarks.learning.harness import ScriptedModel, chain_of, drain, is_exchange, is_second_reading, verdicts
from benchmarks.memory import FIRST_USER, open_memory
from tellonce import contract as c
from tellonce.work import ExchangeInput, WorkItem
from tellonce_llm.model import Completion
from tests.memory_fixtures import Clock, Memory

Case = Mapping[str, Any]


@dataclass(frozen=True)
class CaseResult:
    """The result of one case. `old` and `new` are the statuses of the old and the new statement after the last turn.
    `offered` says whether the model was shown the old statement."""

    case: str
    change: bool
    old: str
    new: str
    offered: bool
    answered: bool

    @property
    def right(self) -> bool:
        """Whether the new statement is active and the old statement has the expected state. After a real change, the
        old statement must have ended. Otherwise, the old statement must be active."""
        return (self.old != "active") == self.change and self.new == "active"


async def tell(cases: Sequence[Case], model: Path | None) -> list[CaseResult]:
    """Run each case in a separate memory, turn by turn. The scripted model makes no mistakes and uses only its
    prompt."""
    found: list[CaseResult] = []
    for zone in sorted({case["zone"] for case in cases}):
        group = [case for case in cases if case["zone"] == zone]
        clock = Clock()
        async with open_memory(model, len(group), zone, clock) as memory:
            for user, case in enumerate(group, FIRST_USER):
                found.append(await _tell_one(memory, clock, user, case))
    return found


class _Listener:
    """The scripted model of one case. A case has an old and a new statement, each with a quote. The model returns a
    statement if the user's messages contain the quote of this statement."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._work: ExchangeInput | None = None
        self.offered = False

    def meet(self, item: WorkItem) -> None:
        self._work = item.input if isinstance(item.input, ExchangeInput) else None

    def answer(self, request: Completion) -> Mapping[str, Any] | None:
        if is_second_reading(request):
            return verdicts(request, lambda text: True)
        if not is_exchange(request) or self._work is None:
            return None
        stated = [part for part in ("old", "new") if self._source(part) is not None]
        return {"items": [self._item(part) for part in stated]}

    def _source(self, part: str) -> int | None:
        """The message of the current exchange that contains the words, if there is one."""
        assert self._work is not None
        quote = self._case[part]["quote"]
        return next((m.id for m in self._work.messages if m.role == "user" and quote in m.text), None)

    def _item(self, part: str) -> dict[str, Any]:
        assert self._work is not None
        stated = self._case[part]
        relation = stated.get("relation", "none")
        over = [m.id for m in self._work.known if m.text == self._case["old"]["text"]]
        self.offered |= part == "new" and bool(over)
        return {
            "text": stated["text"],
            "kind": stated.get("kind", "fact"),
            "about": "user",
            "quotes": [
                {
                    "message_id": (number := self._source(part)),
                    "text": stated["quote"],
                    "message": number,
                    "words": stated["quote"],
                }
            ],
            "certain": True,
            "importance": 0.8,
            **({relation: over} if relation in ("replaces", "ends") else {}),
        }


async def _tell_one(memory: Memory, clock: Clock, user: int, case: Case) -> CaseResult:
    listener = _Listener(case)
    chain = chain_of(ScriptedModel(listener.answer))
    async with memory.client(user) as client:
        for place, turn in enumerate(case["turns"]):
            clock.at = datetime.fromisoformat(turn["at"])
            for role in ("user", "assistant"):
                args = c.RecordMessageArgs(role=role, content=turn[role], message_id=f"{role}{place}")
                await client.record_message(args)
            await drain(memory, chain, listener.meet)
        clock.forward(minutes=5)
        context = await client.get_context(c.GetContextArgs(query=case["question"]))
    async with memory.tables() as tables:
        rows = await tables.fetch("select content, status from memories where owner_id = $1", user)
    status = {row["content"]: row["status"] for row in rows}
    text = context.context or ""
    answered = any(words.casefold() in text.casefold() for words in case["right_answer_contains"])
    old, new = (status.get(case[part]["text"], "missing") for part in ("old", "new"))
    return CaseResult(case["id"], case["change"], old, new, listener.offered, answered)


def report(results: Sequence[CaseResult]) -> str:
    """Report how many cases of each kind are right, and list the wrong cases one by one."""
    lines: list[str] = []
    for change, name in ((True, "changes believed"), (False, "apparent changes without effect")):
        group = [t for t in results if t.change == change]
        lines.append(f"{name}: {sum(t.right for t in group)} of {len(group)}")
    lines.append(f"the context holds the answer: {sum(t.answered for t in results)} of {len(results)}")
    lines += [f"  {t.case}: old {t.old}, new {t.new}, shown to the model: {t.offered}" for t in results if not t.right]
    return "\n".join(lines)
