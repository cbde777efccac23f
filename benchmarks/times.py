"""Measures how well questions that name a time are answered.

    python -m benchmarks.times [--model FOLDER] [--verbose]

The files in `benchmarks/times` contain questions such as "What did I say on 26 October?". The score of a question is the
share of its evidence among the first three results of `search_memory`, where at most three messages count. The columns
*context* give the share of the evidence in a context of 1,000 tokens, in the chat of the talk and in a new chat.
"""

import argparse
import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from benchmarks import corpora
from benchmarks.dialogue import Dialogue, Probe, Turn
from benchmarks.memory import FIRST_USER, Memory, fill, open_memory
from tellonce import contract as c
from tellonce.client import MemoryClient
from tellonce.settings import ServerSettings
from tellonce_server.embedding.model_files import MODEL

FOLDER = Path(__file__).parent / "times"
FIRST = 3


@dataclass(frozen=True)
class Table:
    """A talk with questions, the zone of its user, and the time at which the questions are asked."""

    talk: Dialogue
    zone: str
    asked_at: datetime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, metavar="FOLDER", help="the local embedding model's files")
    parser.add_argument("--verbose", action="store_true", help="print every question")
    args = parser.parse_args()
    model = args.model or ServerSettings().data_dir / "models" / MODEL
    for file in sorted(FOLDER.glob("*.json")):
        asyncio.run(_measured(_table(file), model, verbose=args.verbose))


def _table(file: Path) -> Table:
    read: dict[str, Any] = json.loads(file.read_text("utf-8"))
    probes = [Probe("time", one["question"], one["evidence"]) for one in read["questions"]]
    if "talk" in read:
        [talk] = corpora.locomo(FOLDER.parent / "talks" / read["talk"])
        turns: Sequence[Turn] = talk.turns
    else:
        turns = [
            Turn(number, turn["role"], None, turn["text"], datetime.fromisoformat(turn["at"]))
            for number, turn in enumerate(read["turns"], 1)
        ]
    talk = Dialogue(file.stem, "assistant", turns, probes)
    return Table(talk, read["zone"], datetime.fromisoformat(read["asked_at"]))


async def _measured(table: Table, model: Path, *, verbose: bool) -> None:
    async with open_memory(model, 1, table.zone, lambda: table.asked_at) as memory:
        await fill(memory, [table.talk])
        rows = [await _row(memory, table.talk, probe) for probe in table.talk.probes]
    means = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
    print(f"{table.talk.name:<12}first {FIRST}  context, own chat  context, new chat   ({len(rows)} questions)")
    print(f"{'':<12}{means[0]:<9.3f}{means[1]:<19.3f}{means[2]:<9.3f}")
    if verbose:
        for row, probe in zip(rows, table.talk.probes, strict=True):
            print("  " + "  ".join(f"{value:.2f}" for value in row), probe.text)


async def _row(memory: Memory, talk: Dialogue, probe: Probe) -> tuple[float, float, float]:
    texts = [talk.turns[number - 1].text for number in probe.evidence]
    async with memory.client(FIRST_USER) as client:
        found = await client.search_memory(c.SearchMemoryArgs(query=probe.text))
        first = [one.id for one in found.results[:FIRST] if one.kind == "message"]
        hits = sum(number in first for number in probe.evidence) / min(FIRST, len(probe.evidence))
        own = await _context(client, probe.text, None)
        new = await _context(client, probe.text, "elsewhere")
    return min(1.0, hits), _held(own, texts), _held(new, texts)


async def _context(client: MemoryClient, query: str, chat: str | None) -> str:
    place = {} if chat is None else {"conversation_id": chat}
    args = c.GetContextArgs.model_validate({"query": query, "token_budget": 1_000, **place})
    return (await client.get_context(args)).context or ""


def _held(context: str, texts: Sequence[str]) -> float:
    """The share of the texts whose beginning the context contains. Dates that the context adds are not compared."""
    return sum(text[:25] in context for text in texts) / len(texts)


if __name__ == "__main__":
    main()
