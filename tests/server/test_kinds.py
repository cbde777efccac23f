"""All code that depends on kinds handles every kind of the contract. Each kind of memory reaches the context, the
profile and the page. Every process knows each kind of job. Each kind of stored text is searched and cleaned."""

import re
from typing import get_args

import pytest

from tellonce import contract as c
from tellonce import work as w
from tellonce.client_settings import ClientSettings
from tellonce.contract_types import MEMORY_KINDS, STATUSES, RestorableStatus
from tellonce_llm.providers import PROVIDERS
from tellonce_server.domain.erasure.text_places import PLACES
from tellonce_server.services.page.reads import PageMemoriesArgs
from tellonce_server.store.messages import WORDS
from tellonce_sql import queries, query
from tests.memory_fixtures import USER, Memory

pytestmark = pytest.mark.anyio


def told(kind: str) -> str:
    return f"The {kind} about the observatory in Valparaiso"


async def test_every_kind_reaches_the_context_the_profile_and_the_page(memory: Memory) -> None:
    services = await memory.storage.services()
    async with memory.client() as client:
        for kind in MEMORY_KINDS:
            await client.remember(c.RememberArgs(content=told(kind), kind=kind))
        context = (await client.get_context(c.GetContextArgs(query="the observatory in Valparaiso"))).context or ""
        profile = await client.get_profile(c.GetProfileArgs())
        found = await client.search_memory(c.SearchMemoryArgs(query="observatory", kinds=MEMORY_KINDS, limit=20))
    page = await services.page.memories(USER, PageMemoriesArgs())
    groups = (profile.facts, profile.preferences, profile.goals, profile.dates, profile.pins, profile.uncertain)
    texts = {told(kind) for kind in MEMORY_KINDS}
    assert {text for text in texts if text in context} == texts
    assert {memory.content for group in groups for memory in group} == texts
    assert {result.text for result in found.results} == texts
    assert {entry.memory.content for entry in page.entries} == texts


async def checked(memory: Memory, pattern: str, table: str = "chat_context_queue") -> set[str]:
    """The values that a check constraint of the table allows."""
    async with memory.tables() as tables:
        check = await tables.fetchval(
            "select string_agg(pg_get_constraintdef(oid), '') from pg_constraint where contype = 'c' "
            "and conrelid = $2::text::regclass and pg_get_constraintdef(oid) like $1",
            *(pattern, table),
        )
    return set(re.findall(r"'([\w-]+)'", check))


async def test_every_tier_has_traits_and_every_provider_a_tier_and_a_responder(memory: Memory) -> None:
    responders = get_args(ClientSettings.model_fields["responder"].annotation)
    assert tuple(w.TRAITS) == w.TIERS
    assert await checked(memory, "%ollama%") == set(w.TIERS)
    assert list(PROVIDERS) == [tier for tier in w.TIERS if tier in PROVIDERS]
    assert {provider.responder for provider in PROVIDERS.values()} == {*responders} - {"auto", "claude-cli", "offline"}


async def test_every_kind_of_job_is_in_the_contract_the_database_and_the_server(memory: Memory) -> None:
    kinds = set(get_args(w.JobKind))
    models = get_args(get_args(w.WorkInput)[0])
    services = await memory.storage.services()
    assert {model.model_fields["kind"].default for model in models} == kinds
    assert await checked(memory, "%exchange%") == kinds
    assert set(services.work._kinds._types) == set(w.JOBS) == kinds


async def test_every_rolling_summary_is_in_the_database_and_has_a_kind_of_job_that_reads_summaries(
    memory: Memory,
) -> None:
    assert set(w.WRITERS) == set(get_args(w.Rolling))
    assert {w.JOBS[kind].reads for kind in w.WRITERS.values()} == {"summaries"}
    assert await checked(memory, "%session%", "conversation_summaries") >= {"chunk", *w.WRITERS}


async def test_every_status_has_traits_and_an_undo_restores_all_but_a_replaced_memory(memory: Memory) -> None:
    assert await checked(memory, "%active%", "memories") == set(STATUSES)
    assert {*get_args(RestorableStatus), "superseded"} == set(STATUSES) == set(get_args(c.MemoryStatus))


def test_every_column_of_messages_with_words_has_a_name_for_a_person() -> None:
    assert f"concat_ws(chr(10),\n{', '.join(WORDS)}" in query("texts.find")


def test_every_place_of_texts_is_declared_searched_and_cleaned() -> None:
    cleaned = {name.removeprefix("texts.clean_") for name in queries() if name.startswith("texts.clean_")}
    assert set(re.findall(r"'(\w+)' = any", query("texts.find"))) == set(PLACES)
    assert cleaned == set(PLACES) - {"message"}  # messages are erased by `texts.redact_messages`
