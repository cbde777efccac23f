"""While a slow embedder works, no transaction is open, so no lock is held."""

from collections.abc import AsyncIterator, Sequence

import pytest

from tellonce import contract as c
from tellonce.settings import ServerSettings
from tellonce_server.app import bootstrap
from tellonce_server.app.storage import Storage
from tellonce_server.embedding.model_files import MODEL
from tellonce_server.embedding.protocol import NoEmbedder, Vector
from tellonce_server.embedding.question_cache import VectorCache
from tests.hand_worker import claim, exchange, item, submit
from tests.memory_fixtures import Clock, Memory, opened, value

pytestmark = pytest.mark.anyio

SAID = "I live in Singapore with my 2 cats"


class Watching(NoEmbedder):
    """An embedder that checks for open transactions whenever it is called. Like the real embedders, it caches
    vectors."""

    model = MODEL
    mean: Vector = (0.0,) * 384
    ready = True

    def __init__(self, settings: ServerSettings) -> None:
        assert settings.database_url is not None
        self._dsn = settings.database_url.get_secret_value()
        self._cache = VectorCache()
        self.kept_waiting: dict[str, int] = {}

    async def embed(self, texts: Sequence[str], *, urgent: bool) -> list[Vector]:
        return [self._cache.get(text) or await self._work(text) for text in texts]

    async def _work(self, text: str) -> Vector:
        self.kept_waiting[text] = await value(
            self._dsn,
            "select count(*) from pg_stat_activity where datname = current_database() and state like 'idle in tr%'",
        )
        vector = [0.1] * 384
        self._cache.keep(text, vector)
        return vector


@pytest.fixture
def embedder(settings: ServerSettings) -> Watching:
    return Watching(settings)


@pytest.fixture
async def memory(
    settings: ServerSettings, clock: Clock, embedder: Watching, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Memory]:
    """A memory without background tasks. The check would notice the transactions of these tasks, and the tasks would
    embed the messages."""

    monkeypatch.setattr(bootstrap, "side_tasks", lambda *_: ())
    storage = Storage(settings, clock)
    storage.embedder = embedder
    async with opened(storage) as memory:
        yield memory


async def test_what_the_user_states_is_embedded_before_it_is_stored(memory: Memory, embedder: Watching) -> None:
    async with memory.client() as client:
        tea = (await client.remember(c.RememberArgs(content="I like tea"))).memory
        assert tea is not None
        await client.update_memory(c.UpdateMemoryArgs(memory_id=tea.id, action="edit", content="I like green tea"))
    assert embedder.kept_waiting == {"I like tea": 0, "I like green tea": 0}


async def test_what_a_worker_extracted_is_embedded_before_it_is_applied(memory: Memory, embedder: Watching) -> None:
    async with memory.client() as client, memory.agent() as agent:
        await client.record_message(c.RecordMessageArgs(role="user", content=SAID, message_id="u"))
        await client.record_message(c.RecordMessageArgs(role="assistant", content="Lovely", exchange_of="u"))
        job = await claim(agent)
        submitted = await submit(agent, job, exchange(item(job.input, "Lives in Singapore")))
    assert submitted.stored == {"memories": 1}
    assert embedder.kept_waiting == {SAID: 0, "Lives in Singapore": 0}
