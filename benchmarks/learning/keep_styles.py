"""`python -m benchmarks.learning.keep_styles FILE [--model FOLDER]`: measures how well the scorer, which selects notes
when there is no language model, separates informative sentences from other sentences.

FILE contains JSON lines `{"style", "text", "telling"}`; each line is a separate message. For each style it prints two
shares: the share of informative sentences that are kept, and the share of kept sentences that are not informative. Both
shares are given for shown notes alone, and for all notes including the notes kept for search only.
"""

import argparse
import asyncio
import json
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from tellonce.settings import ServerSettings
from tellonce_server.domain.keep.keeper import Keeper
from tellonce_server.embedding.local import LocalEmbedder
from tellonce_server.embedding.model_files import MODEL


@dataclass(frozen=True)
class Said:
    """A message in the form that a worker gets."""

    id: int
    text: str
    role: str = "user"
    speaker: str | None = None
    routine: str | None = None


@dataclass
class Tally:
    """Counts of informative sentences and of other sentences: how many there are, how many are kept and how many are
    shown."""

    all: dict[bool, int] = field(default_factory=lambda: {True: 0, False: 0})
    kept: dict[bool, int] = field(default_factory=lambda: {True: 0, False: 0})
    shown: dict[bool, int] = field(default_factory=lambda: {True: 0, False: 0})

    def line(self, style: str) -> str:
        return f"{style:24} shown: {self._part(self.shown)}   with searched: {self._part(self.kept)}"

    def _part(self, counted: dict[bool, int]) -> str:
        total = max(sum(counted.values()), 1)
        return (
            f"telling found {counted[True]}/{self.all[True]}, "
            f"not telling {counted[False]}/{self.all[False]} = {counted[False] / total:.1%} of kept"
        )


async def count(lines: list[dict[str, object]], keeper: Keeper) -> dict[str, Tally]:
    tallies: dict[str, Tally] = defaultdict(Tally)
    for number, line in enumerate(lines):
        telling = bool(line["telling"])
        notes = await keeper.notable([Said(number, str(line["text"]))])
        for tally in (tallies[str(line["style"])], tallies["all"]):
            tally.all[telling] += 1
            tally.kept[telling] += bool(notes)
            tally.shown[telling] += any(note.shown for note in notes)
    return tallies


async def measured(lines: list[dict[str, object]], model: Path) -> dict[str, Tally]:
    embedder = LocalEmbedder(model)
    running = asyncio.create_task(embedder.run())
    try:
        while not embedder.ready:  # noqa: ASYNC110 (loading happens in a thread that has no event for us)
            await asyncio.sleep(0.1)
        return await count(lines, Keeper(embedder))
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.learning.keep_styles", description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--model", type=Path, default=ServerSettings().data_dir / "models" / MODEL)
    args = parser.parse_args()
    lines = [json.loads(line) for line in args.file.read_text("utf-8").splitlines() if line.strip()]
    for style, tally in asyncio.run(measured(lines, args.model)).items():
        print(tally.line(style))


if __name__ == "__main__":
    main()
