"""Where `tellonce` begins: a client that starts `serve --stdio` gets the server at once, without the command line's imports."""

import importlib
import sys

STDIO = ["serve", "--stdio"]


def main() -> None:
    """Run the command. The server's handshake is a sixth of a second sooner without typer and rich."""
    if sys.argv[1:] == STDIO:
        sys.argv[1:] = ["--stdio"]
        importlib.import_module("tellonce_server.__main__").main()
    else:
        importlib.import_module("tellonce_cli.main").main()


if __name__ == "__main__":
    main()
