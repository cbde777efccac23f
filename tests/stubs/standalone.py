"""Runs a model stub as a separate process, for manual experiments."""

import argparse
import asyncio
import contextlib

from tests.stubs.replies import MISBEHAVIOURS, Say
from tests.stubs.stub import ModelStub


def run_alone(kind: type[ModelStub]) -> None:
    """Serve until interrupted. Prints its URL as soon as the stub listens."""
    parser = argparse.ArgumentParser(description=kind.__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 takes a free port")
    parser.add_argument("--say", default="ok", help="the answer to everything")
    parser.add_argument("--misbehave", choices=sorted(MISBEHAVIOURS), help="do this instead of answering")
    options = parser.parse_args()
    reply = MISBEHAVIOURS[options.misbehave] if options.misbehave else Say(options.say)
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve(kind(reply, options.port)))


async def _serve(stub: ModelStub) -> None:
    async with stub:
        print(stub.url, flush=True)
        await asyncio.Event().wait()
