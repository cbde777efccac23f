"""`python -m chatmem_server --stdio | --http`: one server process."""

import argparse
import asyncio
import logging
import sys

from chatmem import lifeline
from chatmem.settings import ServerSettings, SettingsError, load
from chatmem_server.http import serve_http
from chatmem_server.stdio import serve_stdio


def main() -> None:
    parser = argparse.ArgumentParser(prog="chatmem_server", description=__doc__)
    transport = parser.add_mutually_exclusive_group()
    transport.add_argument("--stdio", action="store_true", help="speak MCP on stdin and stdout")
    transport.add_argument("--http", action="store_true", help="speak MCP over HTTP (default)")
    args = parser.parse_args()
    lifeline.watch()
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s")
    try:
        settings = load(ServerSettings)
    except SettingsError as error:
        sys.exit(str(error))
    run(settings, stdio=args.stdio)


def run(settings: ServerSettings, *, stdio: bool) -> None:
    """Serve until told to stop."""
    if stdio:
        asyncio.run(serve_stdio(settings))
    else:
        asyncio.run(serve_http(settings))


if __name__ == "__main__":
    main()
