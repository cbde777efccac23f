"""`python -m benchmarks.relay_kills`: sends many messages while relay, server and summarizer are killed, and prints all
errors.

The exit code is 1 if there are errors. The default options are `--messages 500 --kills 60 --seed 7`.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from pathlib import Path

from tests.chain import chaos
from tests.chain.product import whole


async def measure(messages: int, kills: int, seed: int) -> int:
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="tellonce-kills-") as folder:
        async with whole(Path(folder), users=chaos.USERS, **chaos.ENVIRONMENT) as life:
            run = await chaos.run(life, messages, kills, seed)
    print(f"{run}\nseed {seed}, {time.monotonic() - started:.0f} s")
    return 1 if run.faults else 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=500)
    parser.add_argument("--kills", type=int, default=60)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    sys.exit(asyncio.run(measure(options.messages, options.kills, options.seed)))


if __name__ == "__main__":
    main()
