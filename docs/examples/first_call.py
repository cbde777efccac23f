"""Connect to the memory on this machine, store a statement in it, and search for this statement."""

import asyncio
import os
from pathlib import Path

from tellonce.client import MemoryClient
from tellonce.connect import connect_http
from tellonce.contract import RememberArgs, SearchMemoryArgs

# On macOS, the file is in ~/Library/Application Support/tellonce/tokens. `tellonce doctor` names the folder.
TOKEN_FILE = Path("~/.local/share/tellonce/tokens/assistant").expanduser()


async def use(memory: MemoryClient) -> list[str]:
    await memory.remember(RememberArgs(content="I take my coffee without sugar"))
    # The best results come first; the last ones may have little to do with the query.
    found = await memory.search_memory(SearchMemoryArgs(query="coffee"))
    return [result.text for result in found.results]


async def main() -> None:
    # `tellonce up` prints the address; the port is another one if TELLONCE_PORT is set.
    url = os.environ.get("TELLONCE_URL", "http://127.0.0.1:8765/mcp")
    token = os.environ.get("TELLONCE_TOKEN") or TOKEN_FILE.read_text().strip()
    async with connect_http(url, token, name="coffee-machine") as memory:
        print(*await use(memory), sep="\n")


if __name__ == "__main__":
    asyncio.run(main())
