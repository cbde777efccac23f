"""`python -m tellonce_server --stdio | --http`: one server process. Only the selected transport is imported."""

import argparse
import asyncio
import logging
import sys

from tellonce import logs, shutdown
from tellonce.preload import imported
from tellonce.settings import ServerSettings, SettingsError, ignore_env_file, load
from tellonce_server.app.memory_location import move_former_folder


def main() -> None:
    parser = argparse.ArgumentParser(prog="tellonce_server", description=__doc__)
    transport = parser.add_mutually_exclusive_group()
    transport.add_argument("--stdio", action="store_true", help="speak MCP on stdin and stdout")
    transport.add_argument("--http", action="store_true", help="speak MCP over HTTP (default)")
    parser.add_argument(
        "--env-file", action="store_true", help="for tellonce's own commands, which report failures: read .env, too"
    )
    args = parser.parse_args()
    shutdown.watch_parent()
    logs.begin()
    if args.env_file:
        logging.getLogger("tellonce_server.app.storage").setLevel(logging.CRITICAL)
    elif args.stdio:
        ignore_env_file()
    if notice := move_former_folder():
        logging.getLogger(__name__).warning(notice)
    try:
        settings = load(ServerSettings)
    except SettingsError as error:
        sys.exit(str(error))
    logs.follow(settings, "server")
    run(settings, stdio=args.stdio)


def run(settings: ServerSettings, *, stdio: bool) -> None:
    """Serve until stopped."""
    transport = "stdio" if stdio else "http"
    serve = getattr(imported(f"tellonce_server.app.{transport}"), f"serve_{transport}")
    asyncio.run(serve(settings))


if __name__ == "__main__":
    main()
