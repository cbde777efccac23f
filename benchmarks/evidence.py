"""Measures the share of a question's evidence that is in a context. Each context is made twice, with the summarizer and
without it.

    python -m benchmarks.evidence [--synthetic N] [--seed N] [--shapes people friends assistant] [--locomo FILE ...]
        [--half first|second] [--first N] [--budgets TOKENS ...] [--kinds] [--elsewhere] [--model FOLDER] [--json FILE]

The summarizer is the real agent without a language model, so that the figures are the same on all machines. The exit
code is 1 if, for any shape and budget, contexts contain less evidence with the summarizer than without it. Section 4 of
docs/CONTRACT.md forbids this, and `tests/server/test_evidence.py` checks it with a small conversation.
"""

import argparse
import asyncio
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks import corpora
from benchmarks.dialogue import Dialogue, Probe
from benchmarks.generator import SHAPES, corpus
from benchmarks.learning.harness import chain_of, drain
from benchmarks.memory import FIRST_USER, Memory, embedded, fill, open_memory
from tellonce import contract as c
from tellonce.client import MemoryClient
from tellonce.settings import ServerSettings
from tellonce_server.embedding.model_files import MODEL
from tellonce_text.claims import content_stems
from tellonce_text.sentences import split_sentences

_DAY_BESIDE = re.compile(r" \([^()]*\d{4}-\d\d[^()]*\)")
ELSEWHERE = "elsewhere"
"""With `--elsewhere`, questions are asked in this conversation instead of the dialogue's chat."""

BUDGETS = (1_000, 4_300, 12_000, 30_000)


@dataclass(frozen=True)
class Held:
    """The result for one context: the shape of the dialogue, the kind of question, the share of its evidence in the
    context, and the number of tokens of the context."""

    regime: str
    kind: str
    share: float
    tokens: int


@dataclass(frozen=True)
class Figures:
    """`some` is the share of questions whose context contains at least a part of the evidence. `every` is the share of
    questions whose context contains all of the evidence. `tokens` is the mean number of tokens of a context."""

    some: float
    every: float
    tokens: float
    questions: int


def main() -> None:
    sys.exit(asyncio.run(_main(_arguments())))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--synthetic", type=int, default=0, metavar="N", help="generated dialogues of each shape")
    parser.add_argument("--shapes", nargs="+", choices=tuple(SHAPES), default=tuple(SHAPES))
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--locomo", type=Path, metavar="FILE", nargs="+", default=[])
    parser.add_argument("--first", type=int, metavar="N", help="use only the first N dialogues of each file")
    parser.add_argument("--half", choices=("first", "second"), help="use only every other question of each dialogue")
    parser.add_argument("--budgets", type=int, nargs="+", default=BUDGETS, metavar="TOKENS")
    parser.add_argument("--elsewhere", action="store_true", help="ask in a new chat, as from another assistant")
    parser.add_argument("--kinds", action="store_true", help="also print the figures of each kind of question")
    parser.add_argument("--model", type=Path, metavar="FOLDER", help="the local embedding model's files")
    parser.add_argument("--json", type=Path, metavar="FILE")
    return parser.parse_args()


async def _main(args: argparse.Namespace) -> int:
    dialogues = corpus(args.synthetic or (0 if args.locomo else 1), args.seed, args.shapes)
    dialogues += [dialogue for file in args.locomo for dialogue in corpora.locomo(file)[: args.first]]
    if args.half:
        dialogues = [replace(x, probes=x.probes[args.half == "second" :: 2]) for x in dialogues]
    model = args.model or ServerSettings().data_dir / "models" / MODEL
    async with open_memory(model, len(dialogues)) as memory:
        await fill(memory, dialogues)
        without = await measured(memory, dialogues, args.budgets, elsewhere=args.elsewhere)
        print(f"{await drain(memory, chain_of(None))} exchanges read by the summarizer", flush=True)
        await embedded(memory)
        await memory.services.categories.assign()
        with_it = await measured(memory, dialogues, args.budgets, elsewhere=args.elsewhere)
    print("\n".join(report(without, with_it, kinds=args.kinds)))
    if args.json:
        args.json.write_text(json.dumps(_as_json(without, with_it), indent=1))
    return 1 if any(fewer(without[budget], with_it[budget]) for budget in args.budgets) else 0


async def measured(
    memory: Memory, dialogues: Sequence[Dialogue], budgets: Iterable[int], *, elsewhere: bool = False
) -> dict[int, dict[str, Figures]]:
    """Return the figures for each budget. An inner key is a shape of dialogues (`people`), or a shape and a kind of
    question (`people: temporal`)."""
    return {budget: figures(await _contexts(memory, dialogues, budget, elsewhere)) for budget in budgets}


async def _contexts(memory: Memory, dialogues: Sequence[Dialogue], budget: int, elsewhere: bool) -> list[Held]:
    chat = ELSEWHERE if elsewhere else None
    found: list[Held] = []
    for user, dialogue in enumerate(dialogues, FIRST_USER):
        async with memory.client(user) as client:
            asked = [probe for probe in dialogue.probes if probe.kind != "adversarial"]
            found += [await held(client, dialogue, probe, budget, chat) for probe in asked]
    return found


async def held(
    client: MemoryClient, dialogue: Dialogue, probe: Probe, budget: int, conversation_id: str | None = None
) -> Held:
    """Return the share of evidence turns that the context shows (`_is_shown`). The question is asked in the dialogue's
    chat, or in the given conversation."""
    asked = c.GetContextArgs(query=probe.text, token_budget=budget, conversation_id=conversation_id)
    context = await client.get_context(asked)
    text = _squeezed(context.context or "")
    shown = [_is_shown(dialogue.turns[turn - 1].text, probe.answer, text) for turn in probe.evidence]
    return Held(dialogue.regime, probe.kind, sum(shown) / len(shown), context.tokens)


def figures(contexts: Iterable[Held]) -> dict[str, Figures]:
    groups: defaultdict[str, list[Held]] = defaultdict(list)
    for one in contexts:
        groups[one.regime].append(one)
        groups[f"{one.regime}: {one.kind}"].append(one)
    return {name: _figures(group) for name, group in sorted(groups.items())}


def _figures(group: Sequence[Held]) -> Figures:
    count = len(group)
    some, every = sum(x.share > 0 for x in group), sum(x.share == 1 for x in group)
    return Figures(some / count, every / count, sum(x.tokens for x in group) / count, count)


def fewer(without: Mapping[str, Figures], with_it: Mapping[str, Figures]) -> list[str]:
    """The shapes whose contexts contain less evidence with the summarizer than without it."""
    shapes = [name for name in without if ":" not in name]
    return [n for n in shapes if with_it[n].some < without[n].some or with_it[n].every < without[n].every]


def report(
    without: Mapping[int, Mapping[str, Figures]], with_it: Mapping[int, Mapping[str, Figures]], *, kinds: bool
) -> list[str]:
    """Return one line for each budget and shape. The first half of a line is without the summarizer, the second half is
    with it. Each half gives the share of questions with some evidence, the share with all evidence, and the tokens."""
    return [
        f"{budget:>6} {name:<28} n={x.questions:<4} off {_line(x)}   on {_line(with_it[budget][name])}"
        for budget, by_name in without.items()
        for name, x in by_name.items()
        if kinds or ":" not in name
    ]


def _line(x: Figures) -> str:
    return f"{x.some:.3f} / {x.every:.3f} in {x.tokens:6.0f}"


def _as_json(*runs: Mapping[int, Mapping[str, Figures]]) -> Mapping[str, object]:
    def plain(run: Mapping[int, Mapping[str, Figures]]) -> Mapping[str, object]:
        return {str(budget): {name: vars(x) for name, x in by_name.items()} for budget, by_name in run.items()}

    return {"without": plain(runs[0]), "with": plain(runs[1])}


def _is_shown(turn: str, answer: str, context: str) -> bool:
    """Whether a context shows a turn: it contains the turn's sentence with the most words of the answer. If no sentence
    contains such words, the beginning or the middle of the turn is sufficient."""
    wanted = set(content_stems(answer))
    sentences = split_sentences(turn)
    common = [len(wanted & set(content_stems(sentence))) for sentence in sentences]
    if not any(common):
        return any(part in context for part in _parts(turn))
    best = [sentence for sentence, count in zip(sentences, common, strict=True) if count == max(common)]
    return any(_squeezed(sentence) in context for sentence in best)


def _parts(text: str) -> tuple[str, str]:
    squeezed = _squeezed(text)
    middle = max(0, len(squeezed) // 2 - 30)
    return squeezed[:60], squeezed[middle : middle + 60]


def _squeezed(text: str) -> str:
    """The text with single spaces, and without the dates that a context adds after relative words."""
    return " ".join(_DAY_BESIDE.sub("", text).split())


if __name__ == "__main__":
    main()
