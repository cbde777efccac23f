"""Connect to the memory on this machine, store a statement in it, and search for this statement."""

import asyncio
import os
from pathlib import Path

from tellonce.client import MemoryClient
from tellonce.connect import connect_http
from tellonce.contract import RememberArgs, SearchMemoryArgs

TOKEN_FILE = Path("~/.local/share/tellonce/tokens/assistant").expanduser()


async def use(memory: MemoryClient) -> list[str]:
    await memory.remember(RememberArgs(content="I take my coffee without sugar"))
    found = await memory.search_memory(SearchMemoryArgs(query="coffee"))
    return [result.text for result in found.results]


async def main() -> None:
    url = os.environ.get("TELLONCE_URL", "http://127.0.0.1:8765/mcp")
    token = os.environ.get("TELLONCE_TOKEN") or TOKEN_FILE.read_text().strip()
    async with connect_http(url, token, name="coffee-machine") as memory:
        print(*await use(memory), sep="\n")


if __name__ == "__main__":
    asyncio.run(main())
