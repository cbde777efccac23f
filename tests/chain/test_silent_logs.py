"""Some texts cause errors in a running memory. No log of any process contains such a text."""

from pathlib import Path

import asyncpg
import pytest

from tellonce import contract as c
from tellonce.client import MemoryClient, MemoryRefused, MemoryUnreachable
from tellonce.connect import connect_http
from tests.chain.product import TALKER, Whole, whole
from tests.crash.world import ForkedWorld
from tests.stubs.replies import ErrorInStream, Fail, Garbage, HalfStream, Reply, Say, say_json
from tests.stubs.stub import Asked
from tests.stubs.telegram_emulator.faults import Refuse

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
    world = ForkedWorld(tmp_path / "world", (USER,))
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


def parrot(asked: Asked, number: int) -> Reply:
    """A failing reply. `number` selects the kind of failure. The reply quotes the request, because some errors of real
    providers quote the request. Each kind of failure occurs once. Every later request gets error 400, because further
    errors of the other kinds would make the relay's pauses longer and longer."""
    said = f"{CANARY} stood in: {asked.prompt}"
    ways = (
        Garbage(f"<html>{said}</html>"),
        Fail(400, said, "invalid_request_error"),
        Fail(500, said),
        Garbage(f'{{"{said}'),
        Say(f"{said} {{"),
        say_json({said: said}),
        ErrorInStream(said, said),
        HalfStream(said),
    )
    return ways[number if number < len(ways) else 1]


def written(life: Whole) -> str:
    """Everything that the processes wrote to standard error and to their event files."""
    return "\n".join(
        file.read_text(errors="replace")
        for file in (*life.folder.glob("*.err"), *life.logs.rglob("*"))
        if file.is_file()
    )


async def test_what_models_and_telegram_quote_in_their_errors_is_in_no_log(tmp_path: Path, dsn: str) -> None:
    quoted = Refuse(400, f"Bad Request: {CANARY} is not allowed here")
    soon = {"TELLONCE_QUEUE__BACKOFF_SECONDS": "0.1", "TELLONCE_QUEUE__BACKOFF_CAP_SECONDS": "1"}
    async with whole(tmp_path, (USER,), DATABASE_URL=dsn, **soon) as life:
        asked: dict[bool, int] = {}

        def script(request: Asked) -> Reply:
            talks = request.model == TALKER
            asked[talks] = asked.get(talks, -1) + 1
            return parrot(request, asked[talks])

        life.model.script = script
        life.telegram.faults["sendMessage"] = [None, quoted, None, quoted]
        for number in range(4):
            await life.telegram.say(f"{SAID} and number {number}", USER)
        await life.seen(lambda: len(life.telegram.api.of("sendMessage")) >= 4)
        await life.settled(USER)
        logs = written(life)
        kept = await life.everywhere(USER)
    assert set(asked) == {True, False}, "relay and summarizer met a model that misbehaves"
    assert "turn failed" in logs
    assert "could not be shown: BadRequest" in logs
    assert CANARY in kept, "the memory itself has the text"
    assert CANARY not in logs
