"""Every kind that the contract declares is treated by all that depend on kinds: a kind of memory reaches the context,
the profile and the page, and the statements of the queue that decide by kind name every kind of job."""

from typing import get_args

import pytest

from tellonce import contract as c
from tellonce.contract_types import MEMORY_KINDS, JobKind
from tellonce.page_contract import PageMemoriesArgs
from tellonce_sql import query
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


@pytest.mark.parametrize(
    ("name", "without"),
    [
        ("queue.void_readers", set[str]()),
        ("queue.settle", {"exchange", "routine_summary"}),  # they replace no other text
        ("queue.redo_provisional", {"routine_summary"}),  # it waits for no other job
    ],
)
async def test_every_kind_of_job_is_named_where_the_queue_decides_by_kind(name: str, without: set[str]) -> None:
    named = {kind for kind in get_args(JobKind) if f"'{kind}'" in query(name)}
    assert named == set(get_args(JobKind)) - without
