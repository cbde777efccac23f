"""Seeds a memory for the page: two months of messages, statements of every kind, answers, and memories to confirm."""

from datetime import UTC, datetime, timedelta

from tellonce import contract as c
from tellonce.client import MemoryClient
from tests.memory_fixtures import session
from tests.offline_worker import work_off

TALK = (
    (58, "I'm Mara, I teach physics at a school in Lisbon.", "Nice to meet you, Mara."),
    (58, "My sister Ann lives in Porto and has two children.", "I'll keep that in mind."),
    (44, "I started running again, three times a week.", "Great! Do you have a goal in mind?"),
    (44, "I want to run the Lisbon half marathon in under two hours.", "Then let's plan the long runs for Sundays."),
    (31, "I prefer green tea over coffee, above all in the evening.", "Noted: green tea."),
    (31, "Ann and I are planning a week in the Azores.", "São Miguel is lovely in spring."),
    (9, "The school bought new oscilloscopes, I have to learn how they work.", "I can go through the manual with you."),
    (9, "My access code for the lab is 4711-blue.", "Understood."),
    (1, "Ann's son Tiago broke his arm, he cannot come to the Azores.", "I'm sorry to hear that."),
    (1, "I moved the lab tour to Friday because of the strike.", "Friday it is."),
)
STATEMENTS: tuple[dict[str, object], ...] = (
    {"content": "Mara teaches physics at a school in Lisbon", "kind": "fact", "pinned": True},
    {"content": "Mara prefers green tea over coffee", "kind": "preference"},
    {"content": "Run the Lisbon half marathon in under two hours", "kind": "goal", "deadline": 40},
    {"content": "Read the manual of the new oscilloscopes", "kind": "goal", "deadline": -3},
    {"content": "Flight to Ponta Delgada", "kind": "date", "deadline": 12},
    {"content": "Answers should be short and without lists", "kind": "pin"},
)
LEARNED = (
    ("Ann is Mara's sister and lives in Porto", "My sister Ann lives in Porto and has two children."),
    ("Mara's nephew Tiago broke his arm", "Ann's son Tiago broke his arm, he cannot come to the Azores."),
    ("Mara may take up climbing", None),
    ("Mara dislikes the sea", None),
)
MANY = 10_000
ADD_MANY = """
    insert into memories (owner_id, id, kind, status, content, confidence, priority, importance, pinned, valid_from,
      origin, user_confirmed, source_ids, created_at, updated_at, tsv)
    select $1, n, 'fact', 'active', 'Fact number ' || n || ' about a thing on shelf ' || n % 97, 0.9, 3, 0.5, false,
      now() - n * interval '1 minute', 'user', true, '{}', now(), now(), to_tsvector('chatmem', 'fact ' || n)
    from generate_series(1, $2::int) n"""
QUESTIONS = ("When do I fly to the Azores?", "What do I drink in the evening?", "How is my training going?")


async def seed(memory: MemoryClient, agent: MemoryClient) -> None:
    """Fill the memory by calls of its tools."""
    now = datetime.now(UTC).replace(microsecond=0)
    for number, (days, said, answered) in enumerate(TALK):
        at = now - timedelta(days=days, minutes=30 - 2 * number)
        await _exchange(memory, f"t{number}", at, said, answered)
    for statement in STATEMENTS:
        due = statement.get("deadline")
        moment = {"deadline": now + timedelta(days=due)} if isinstance(due, int) else {}
        await memory.remember(c.RememberArgs.model_validate({**statement, **moment}))
    learned = [{"content": text, "quote": quote, "kind": "fact"} for text, quote in LEARNED]
    await memory.remember(c.RememberArgs.model_validate({"statements": learned}))
    await work_off(agent)
    await ask(memory, "q")


async def ask(memory: MemoryClient, name: str) -> None:
    """Ask all questions. The questions are asked again after an erasure, because an erasure deletes all records of
    answers."""
    now = datetime.now(UTC).replace(microsecond=0)
    for number, question in enumerate(QUESTIONS):
        at = now - timedelta(minutes=9 - 3 * number)
        await _exchange(memory, f"{name}{number}", at, question, "Let me look.", asks=True)


async def _exchange(
    memory: MemoryClient, name: str, at: datetime, said: str, answered: str, *, asks: bool = False
) -> None:
    """Record an exchange. With `asks`, the assistant requests a context before it answers."""
    user = {"role": "user", "content": said, "message_id": f"{name}-user", "sent_at": at}
    await memory.record_message(c.RecordMessageArgs.model_validate(user))
    if asks:
        await memory.get_context(c.GetContextArgs(query=said, exclude_message_id=f"{name}-user"))
    assistant = {"role": "assistant", "content": answered, "message_id": f"{name}-assistant"}
    after = {"sent_at": at + timedelta(seconds=20), "exchange_of": f"{name}-user"}
    await memory.record_message(c.RecordMessageArgs.model_validate({**assistant, **after}))


async def add_many(dsn: str, owner_id: int) -> None:
    """Give a new owner 10,000 memories."""
    async with session(dsn) as connection:
        await connection.execute("insert into user_profile (owner_id, last_memory_id) values ($1, $2)", owner_id, MANY)
        await connection.execute(ADD_MANY, owner_id, MANY)
        await connection.execute("analyze memories")
