"""A separate process that uses an embedded PostgreSQL. It starts PostgreSQL, prints `up`, waits for a line or the end
of its input, and ends."""

import asyncio
import signal
import sys
from pathlib import Path

from tellonce_server.postgres.embedded_server import EmbeddedPostgres


async def main() -> None:
    # On SIGINT, the process ends at once. Otherwise Python would wait for the thread that reads standard input.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    server = EmbeddedPostgres(Path(sys.argv[1]))
    await server.start()
    print("up", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    await server.release()
    print("left", flush=True)


if __name__ == "__main__":
    asyncio.run(main())
