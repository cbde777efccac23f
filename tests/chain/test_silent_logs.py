"""A text that breaks something in a running memory is in no log of any of its processes."""

from pathlib import Path

import asyncpg
import pytest

from chatmem import contract as c
from chatmem.client import MemoryClient, MemoryRefused, MemoryUnreachable
from chatmem.connect import connect_http
from tests.crash.world import World

pytestmark = pytest.mark.anyio

CANARY = "zq9e107d9d37"
USER = 42
SAID = f"My locker opens with {CANARY}"

BREAK = """
create function break_it() returns trigger language plpgsql as $$ begin
  raise exception 'duplicate key: %', new.content
    using errcode = 'unique_violation', detail = format('Key (content)=(%s) already exists.', new.content);
end $$;
create trigger break_it before insert on messages for each row execute function break_it();
"""


async def refused(client: MemoryClient, text: str) -> str:
    args = c.RecordMessageArgs.model_construct(chat_id=USER, role="user", content=text, message_id="u1")
    with pytest.raises((MemoryRefused, MemoryUnreachable)) as refusal:
        await client.record_message(args)
    return str(refusal.value)


async def test_a_text_the_database_refuses_is_in_no_log_and_in_no_answer(tmp_path: Path) -> None:
    world = World(tmp_path / "world", (USER,))
    async with world.running(), connect_http(world.url, world.token("relay"), attempts=1) as client:
        connection = await asyncpg.connect(world.dsn)
        await client.record_message(c.RecordMessageArgs(chat_id=USER, role="user", content="Hello", message_id="u0"))
        await connection.execute(BREAK)
        answers = [await refused(client, SAID), await refused(client, f"{SAID}\x00")]
        await connection.close()
        logs = "\n".join(file.read_text(errors="replace") for file in world.logs() if file.is_file())
    world.remove()
    assert "UniqueViolationError 23505" in logs
    assert "store/" in logs, "the stack says where"
    assert CANARY not in logs
    assert CANARY not in "".join(answers)
