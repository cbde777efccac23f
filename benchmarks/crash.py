"""`python -m benchmarks.crash`: kills processes of a memory under load in several rounds and reports breaches of the
invariants.

Each round uses a new memory and a different seed. Finished rounds are in the report, so an interrupted run continues
where it stopped. The processes are killed with SIGKILL, as by an out-of-memory killer.
"""

import argparse
import asyncio
import os
import sys
import tempfile
from collections import Counter
from pathlib import Path
from statistics import median

from pydantic import BaseModel

from tests.crash.campaign import Round, play

REPORT = Path("benchmarks/results/crash.json")


class Report(BaseModel):
    """All rounds so far. `load` is the machine's load average at the beginning of each round, because times depend on
    it."""

    rounds: list[Round] = []
    load: list[float] = []

    def kills(self) -> Counter[str]:
        return sum((Counter(found.kills) for found in self.rounds), Counter())

    def breaches(self) -> list[str]:
        return [f"seed {found.seed}: {breach}" for found in self.rounds for breach in found.breaches]


async def run(report: Path, kills: int, each: int, seed: int) -> Report:
    """Run rounds until the report has enough kills. `kills` is the total, and `each` is the number of kills in one
    round. The report is written after every round."""
    done = Report.model_validate_json(report.read_text()) if report.exists() else Report()
    while done.kills().total() < kills:
        number = len(done.rounds)
        done.load.append(round(os.getloadavg()[0], 1))
        with tempfile.TemporaryDirectory(prefix="tellonce-crash-", ignore_cleanup_errors=True) as folder:
            done.rounds.append(await play(Path(folder) / "world", seed + number, each))
        report.parent.mkdir(parents=True, exist_ok=True)
        report.write_text(done.model_dump_json(indent=1))
        print(f"round {number + 1}: {done.kills().total()} kills, {len(done.breaches())} breaches", flush=True)
    return done


def table(done: Report) -> str:
    """A table of the kills by process, and of the times until clients were served again."""
    lines = ["| killed | times | seconds until served again: median | longest |", "|---|--:|--:|--:|"]
    for target, times in sorted(done.kills().items()):
        waits = [wait for found in done.rounds for wait in found.recovery.get(target, [])]
        lines.append(f"| {target} | {times} | {median(waits):.1f} | {max(waits):.1f} |")
    rounds = done.rounds
    lines += [
        "",
        f"{sum(r.acknowledged for r in rounds)} calls acknowledged, {sum(r.retries for r in rounds)} asked again; "
        f"{sum(r.messages for r in rounds)} messages, {sum(r.memories for r in rounds)} memories, "
        f"{sum(r.forgotten for r in rounds)} things forgotten; {len(done.breaches())} breaches; "
        f"{sum(r.seconds for r in rounds) / 60:.0f} minutes, load average {min(done.load)}–{max(done.load)}.",
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--each", type=int, default=50, help="kills in one round")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--report", type=Path, default=REPORT)
    args = parser.parse_args()
    done = asyncio.run(run(args.report, args.kills, args.each, args.seed))
    print(table(done), *done.breaches(), sep="\n")
    sys.exit(bool(done.breaches()))


if __name__ == "__main__":
    main()
