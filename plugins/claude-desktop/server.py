"""Starts the memory server on stdin and stdout, for Claude Desktop."""

import sys

from tellonce_server.__main__ import main

if __name__ == "__main__":
    sys.argv[1:] = ["--stdio"]
    main()
