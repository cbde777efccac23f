"""Measures the evidence recall of our tools and of common methods on the same questions.

    python -m benchmarks.retrieval [--synthetic N] [--seed N] [--locomo FILE ...] [--longmemeval FILE]
        [--half first|second] [--shapes SHAPE ...] [--model FOLDER] [--words-only]
        [--json FILE] [--plot FILE]

`--synthetic N` generates N dialogues of each shape. The default is three if no file is given. The weights were fitted
and chosen on seeds 1 and 2. `--locomo benchmarks/talks/*.json` uses the conversations written by hand. Their questions
belong alternately to two halves. Developers are allowed to study the first half. The second half is only for judging.
Each dialogue is imported as one chat into embedded PostgreSQL. Each question is a call of `search_memory(where="chat")`
on a real server over MCP. `benchmarks.evidence` measures the contents of contexts.
"""

import argparse
import asyncio
import json
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from zoneinfo import ZoneInfo

from benchmarks import baselines, corpora
from benchmarks.dialogue import Dialogue, Probe
from benchmarks.generator import SHAPES, corpus
from benchmarks.memory import FIRST_USER, NOW, Memory, fill, open_memory
from benchmarks.metrics import DEPTHS, Recalls, as_json, table
from benchmarks.plot import curves
from tellonce import contract as c
from tellonce.client import MemoryClient
from tellonce.settings import ServerSettings
from tellonce_server.domain.retrieval.ranking import rank
from tellonce_server.domain.retrieval.search import Retriever
from tellonce_server.domain.retrieval.search_results import SearchRequest
from tellonce_server.embedding.model_files import MODEL

OURS = "search_memory"


def main() -> None:
    asyncio.run(_main(_arguments()))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--synthetic", type=int, default=0, metavar="N", help="generated dialogues of each shape")
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--locomo", type=Path, metavar="FILE", nargs="+", default=[])
    parser.add_argument("--longmemeval", type=Path, metavar="FILE")
    parser.add_argument("--half", choices=("first", "second"), help="use only every other question of each dialogue")
    parser.add_argument("--first", type=int, metavar="N", help="use only the first N dialogues of each file")
    parser.add_argument("--model", type=Path, metavar="FOLDER", help="the local embedding model's files")
    parser.add_argument("--words-only", action="store_true", help="without embeddings")
    parser.add_argument("--shapes", nargs="+", choices=tuple(SHAPES), default=tuple(SHAPES))
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="recall by depth, as SVG")
    return parser.parse_args()


async def _main(args: argparse.Namespace) -> None:
    dialogues = corpus(args.synthetic or (0 if args.locomo or args.longmemeval else 3), args.seed, args.shapes)
    dialogues += [dialogue for file in args.locomo for dialogue in corpora.locomo(file)[: args.first]]
    dialogues += corpora.longmemeval(args.longmemeval)[: args.first] if args.longmemeval else []
    if args.half:
        dialogues = [replace(dialogue, probes=dialogue.probes[args.half == "second" :: 2]) for dialogue in dialogues]
    model = args.model or ServerSettings().data_dir / "models" / MODEL
    async with open_memory(None if args.words_only else model, len(dialogues)) as memory:
        await fill(memory, dialogues)
        recalls = await _measured(memory, dialogues)
        print(table(recalls), await _cost(memory, dialogues), sep="\n", flush=True)
    if args.plot:
        args.plot.write_text(curves(recalls))
    if args.json:
        args.json.write_text(json.dumps({"recall": as_json(recalls)}, indent=1))


async def _measured(memory: Memory, dialogues: Sequence[Dialogue]) -> Recalls:
    recalls = Recalls()
    seconds: list[float] = []
    for user, dialogue in enumerate(dialogues, FIRST_USER):
        chat = await baselines.load(memory, user, dialogue)
        async with memory.client(user) as client:
            for probe in dialogue.probes:
                ranked = await baselines.rankings(memory, chat, probe)
                started = time.perf_counter()
                ranked[OURS] = await _searched(client, probe)
                seconds.append(time.perf_counter() - started)
                for method, numbers in ranked.items():
                    recalls.add(method, dialogue.regime, probe.kind, numbers, probe.evidence)
    seconds.sort()
    print(f"search_memory: {1000 * seconds[len(seconds) // 2]:.1f} ms p50 of {len(seconds)}, {DEPTHS[-1]} results each")
    return recalls


async def _cost(memory: Memory, dialogues: Sequence[Dialogue]) -> str:
    """The cost of one question in milliseconds: reading its candidates (elapsed time) and ranking them (processor
    time)."""
    retriever = Retriever(memory.services.deps.database, memory.services.deps.embedder)
    rows: list[tuple[float, float, int]] = []
    for user, dialogue in enumerate(dialogues, FIRST_USER):
        for probe in dialogue.probes[:60]:
            started = time.perf_counter()
            seen = await retriever.read(SearchRequest(user, user, None, probe.text, NOW, ZoneInfo("UTC")))
            read, begun = time.perf_counter() - started, time.process_time()
            rank(seen.question, seen.messages, ZoneInfo("UTC"))
            rows.append((1000 * read, 1000 * (time.process_time() - begun), len(seen.messages)))
    read, ranked, count = (median(column) for column in zip(*rows, strict=True))
    return (
        f"median question: {count:.0f} candidates, read in {read:.1f} ms, ranked in {ranked:.2f} ms of processor time"
    )


async def _searched(client: MemoryClient, probe: Probe) -> list[int]:
    page = await client.search_memory(c.SearchMemoryArgs(query=probe.text, kinds=("message",), limit=DEPTHS[-1]))
    return [result.id for result in page.results]


if __name__ == "__main__":
    main()
