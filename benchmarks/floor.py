"""`python -m benchmarks.floor [--stdio] PORT`: a server of the same SDK whose one tool looks a word up in a dict.

What a call to it costs is what no memory server over MCP can go below on this machine: client, protocol, transport.
"""

import asyncio
import sys

import uvicorn
from mcp.server import MCPServer
from pydantic import BaseModel

_WORDS = {"tea": "Camellia sinensis", "coffee": "Coffea arabica"}


class Meaning(BaseModel):
    meaning: str


server = MCPServer("floor", log_level="WARNING")


@server.tool()
async def look_up(word: str) -> Meaning:
    """The meaning of a word."""
    return Meaning(meaning=_WORDS.get(word, ""))


def main() -> None:
    if "--stdio" in sys.argv:
        asyncio.run(server.run_stdio_async())
        return
    # As our own server is run (`tellonce_server.app.http`), so that only what the tool does differs.
    app = server.streamable_http_app(streamable_http_path="/mcp", stateless_http=True)
    uvicorn.run(app, port=int(sys.argv[-1]), http="h11", timeout_keep_alive=75, access_log=False, log_level="warning")


if __name__ == "__main__":
    main()
