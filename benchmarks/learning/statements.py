"""Measures how many right statements of a model become active, and how many false statements become certain."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.learning.harness import (
    FIRST_USER,
    ScriptedModel,
    chain_of,
    drain,
    is_exchange,
    is_second_reading,
    moment,
    open_memory,
    verdicts,
)
from tellonce import contract as c
from tellonce.client import MemoryClient
from tellonce_llm.model import Completion
from tests.memory_fixtures import Clock, Memory

Exchange = Mapping[str, Any]


@dataclass(frozen=True)
class Judged:
    """The outcome of one statement: the status of its memory, `same` if the statement only repeats an active known
    memory, or `lost` if it has no memory."""

    exchange: str
    text: str
    right: bool
    certain: bool
    outcome: str
    reason: str


async def judge(exchanges: Sequence[Exchange], model: Path | None, *, second_reading: str) -> list[Judged]:
    """Run each exchange in a separate memory. If `second_reading` is `truthful`, the second reading gives the true
    answer. If it is `credulous`, the second reading always accepts the statement."""
    found: list[Judged] = []
    for zone in sorted({x["zone"] for x in exchanges}):
        group = [x for x in exchanges if x["zone"] == zone]
        clock = Clock()
        async with open_memory(model, len(group), zone, clock) as memory:
            for user, exchange in enumerate(group, FIRST_USER):
                found += await _judge_one(memory, clock, user, exchange, truthful=second_reading == "truthful")
    return found


async def _judge_one(memory: Memory, clock: Clock, user: int, exchange: Exchange, *, truthful: bool) -> list[Judged]:
    silent = ScriptedModel(lambda request: {"items": []} if is_exchange(request) else None)
    async with memory.client(user) as client:
        known = await _know(client, clock, exchange)
        await _say(client, clock, exchange.get("before", ()), "before")
        await drain(memory, chain_of(silent))
        numbers = await _say(client, clock, exchange["messages"], "m")
    right = {_flat(s["text"]): s["right"] for s in exchange["statements"]}

    def answer(request: Completion) -> Mapping[str, Any] | None:
        if is_exchange(request):
            return {"items": [_item(s, numbers, known) for s in exchange["statements"]]}
        if is_second_reading(request):
            return verdicts(request, lambda text: not truthful or right.get(_flat(text), False))
        return None

    clock.at = max(clock.at, moment(exchange["now"]))
    await drain(memory, chain_of(ScriptedModel(answer)))
    return await _outcomes(memory, user, exchange, known)


async def _know(client: MemoryClient, clock: Clock, exchange: Exchange) -> dict[int, int]:
    """Store the memories that are known before the exchange, each on the day on which it was learned. Returns the ids
    of the memories by their numbers in the set of cases."""
    numbers: dict[int, int] = {}
    for memory in sorted(exchange.get("known", ()), key=lambda m: moment(m["since"])):
        clock.at = moment(memory["since"])
        stored = await client.remember(c.RememberArgs(content=memory["text"], kind=memory["kind"], scope="global"))
        assert stored.memory is not None  # a call with a single statement returns its memory
        numbers[memory["id"]] = stored.memory.id
    return numbers


async def _say(client: MemoryClient, clock: Clock, lines: Sequence[Mapping[str, Any]], prefix: str) -> dict[int, int]:
    """Record the lines. If the last line is from the user, also record an answer. Returns the ids of the messages by
    their position in `lines`."""
    numbers: dict[int, int] = {}
    for place, line in enumerate(lines, 1):
        clock.at = moment(line["at"])
        args = c.RecordMessageArgs(
            role=line["role"],
            content=line["text"],
            message_id=f"{prefix}{place}",
            sent_at=clock.at,
            speaker=line.get("speaker"),
        )
        numbers[line.get("id", place)] = (await client.record_message(args)).id
    if lines and lines[-1]["role"] == "user":
        await client.record_message(c.RecordMessageArgs(role="assistant", content="I see.", message_id=f"{prefix}-end"))
    return numbers


def _item(statement: Mapping[str, Any], numbers: Mapping[int, int], known: Mapping[int, int]) -> dict[str, Any]:
    def here(ids: Sequence[int]) -> list[int]:
        return [known[i] for i in ids if i in known]

    return {
        **{key: statement[key] for key in ("text", "kind", "about", "certain")},
        "quotes": [_quote(q["text"], numbers.get(q["message_id"], 0)) for q in statement["quotes"]],
        "when": statement.get("when"),
        "deadline": statement.get("deadline"),
        "importance": 0.6,
        "same_as": known.get(statement.get("same_as") or 0),
        "replaces": here(statement.get("replaces") or ()),
        "ends": here(statement.get("ends") or ()),
    }


def _quote(text: str, number: int) -> dict[str, Any]:
    return {"message_id": number, "text": text, "message": number, "words": text}


async def _outcomes(memory: Memory, user: int, exchange: Exchange, known: Mapping[int, int]) -> list[Judged]:
    async with memory.tables() as tables:
        rows = await tables.fetch("select id, content, status, reason from memories where owner_id = $1", user)
    before = set(known.values())
    by_text = {_flat(row["content"]): row for row in rows if row["id"] not in before}
    by_id = {row["id"]: row for row in rows}
    judged: list[Judged] = []
    for s in exchange["statements"]:
        row = _found(_flat(s["text"]), by_text)
        outcome, reason = (row["status"], row["reason"] or "") if row else ("lost", "")
        if row is None and s.get("same_as") in known and by_id[known[s["same_as"]]]["status"] == "active":
            outcome = "same"
        judged.append(Judged(exchange["id"], s["text"], s["right"], s["certain"], outcome, reason))
    return judged


def _found(text: str, by_text: Mapping[str, Any]) -> Any:
    """The memory with this text; the server may have added a date to the text."""
    if text in by_text:
        return by_text[text]
    bare = _without_days(text)
    return next((row for content, row in by_text.items() if _without_days(content) == bare), None)


def _without_days(text: str) -> str:
    head, *rest = text.split(" (")
    return head + "".join(part.partition(")")[2] for part in rest)


def _flat(text: str) -> str:
    return " ".join(text.split())


def report(judged: Sequence[Judged]) -> str:
    """Report the outcomes of right and false statements, and list every loss with its reason."""
    lines: list[str] = []
    for right in (True, False):
        group = [j for j in judged if j.right == right]
        counts = Counter(j.outcome for j in group)
        believed = counts["active"] + (counts["same"] if right else 0)
        share = believed / len(group) if group else 0.0
        named = ", ".join(f"{outcome} {count}" for outcome, count in counts.most_common())
        lines.append(f"{'right' if right else 'false'}: {len(group)}; believed {share:.3f} ({named})")
    reasons = Counter(j.reason for j in judged if j.right and j.outcome == "uncertain")
    lines += [f"  right but uncertain, {count}: {reason}" for reason, count in reasons.most_common(20)]
    lines += [f"  right but lost: {j.exchange} {j.text}" for j in judged if j.right and j.outcome == "lost"]
    lines += [f"  false but active: {j.exchange} {j.text}" for j in judged if not j.right and j.outcome == "active"]
    return "\n".join(lines)
