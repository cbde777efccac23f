"""Stops the embedded PostgreSQL of a data directory if no process uses it. The watcher runs this program. Exit code 1
means that the server still runs."""

import asyncio
import sys
from pathlib import Path

from tellonce_server.store.postgres.embedded import EmbeddedPostgres

if __name__ == "__main__":
    sys.exit(0 if asyncio.run(EmbeddedPostgres(Path(sys.argv[1])).stop_if_unused()) else 1)
