"""Two users and a shared group act at random on one server. No answer to one of them contains another's text.

Every text contains a canary of its owner. If a user shares a memory with the group, the group may see the memory's
canary.
"""

import json
import re
from collections import defaultdict
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp import MCPError
from mcp.client import Client
from mcp.types import CallToolResult, PromptReference, ResourceTemplateReference

from tellonce_server.app.server import build_server
from tellonce_server.core.scope import Caller
from tests.depth import DEEP, depth
from tests.memory_fixtures import USER, Clock, Memory
from tests.offline_worker import work_off
from tests.server.test_isolation import TENANT

pytestmark = pytest.mark.anyio

ANN, BEN, GROUP, ANNS_GROUP = USER, 43, -100, -200
LETTER = {ANN: "a", BEN: "b", GROUP: "g"}
OWNER = {ANN: ANN, BEN: BEN, GROUP: GROUP, ANNS_GROUP: ANN}
CANARY = re.compile(r"canary[abg]\d+")
LIVES = depth(4, 6)
STEPS = 70
ERAS = ("2026-07-28", "legacy")

SAYINGS = (
    "I keep a tortoise named {}.",
    "I live in {}town since 2019.",
    "My goal is to run the {} marathon by June.",
    "I prefer {} tea in the morning.",
    "My sister {} visits on 3 May at 7am.",
    "What did I say about the {} garden?",
    "The invoice of {} is 120 euros, please pay it.",
)
QUERIES = (
    "tortoise",
    "town since 2019",
    "marathon by June",
    "tea in the morning",
    "sister",
    "invoice of 120 euros",
    "canary",
)
TEXTS = ("tortoise", "everything about tea", "my sister", "canary", "the invoice")

WHO = st.sampled_from(["ann", "ben", "relay"])
CHAT = st.sampled_from([ANN, BEN, GROUP, ANNS_GROUP, None, 999])
NUMBER = st.integers(1, 12)


def operation(kind: str, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({"op": st.just(kind), "who": WHO, "chat": CHAT, **fields})


OPERATIONS = st.one_of(
    operation("say", role=st.sampled_from(["user", "assistant"]), saying=st.sampled_from(SAYINGS), number=NUMBER),
    operation("say", role=st.just("user"), saying=st.sampled_from(SAYINGS), number=NUMBER),
    operation("remember", saying=st.sampled_from(SAYINGS), scope=st.sampled_from(["chat", "global"])),
    operation(
        "context",
        query=st.sampled_from(QUERIES),
        detail=st.sampled_from(["text", "sections"]),
        reply=st.none() | NUMBER,
    ),
    operation("search", query=st.sampled_from(QUERIES), where=st.sampled_from(["thread", "chat", "all"])),
    operation(
        "update",
        number=NUMBER,
        action=st.sampled_from(
            ["confirm", "reject", "complete", "reopen", "pin", "make_global", "share", "share", "edit"]
        ),
        to=st.sampled_from([GROUP, BEN, ANN]),
    ),
    operation("forget", topic=st.sampled_from(TEXTS), stolen=st.booleans()),
    operation("look", tool=st.sampled_from(["get_profile", "summarize_chat", "start_new_chat"])),
    operation("explain", what=st.sampled_from(["memory_id", "message_id", "receipt_id"]), number=NUMBER),
    operation(
        "read", uri=st.sampled_from(["profile", "chats", "summary", "messages", "context", "memory"]), number=NUMBER
    ),
    operation("offer", what=st.sampled_from(["prompts", "prompt", "chat_id", "kind", "templates", "tools"])),
    st.just({"op": "work", "who": "agent", "chat": None}),
)


@dataclass
class World:
    """The texts of each owner, the canaries that each caller may see, and the leaks that were found."""

    clients: dict[str, Client]
    written: int = 0
    allowed: dict[int, set[str]] = field(default_factory=lambda: defaultdict(set))
    receipts: list[str] = field(default_factory=list)
    confirms: list[str] = field(default_factory=list)
    answers: int = 0
    seen: set[str] = field(default_factory=set)
    leaks: list[str] = field(default_factory=list)

    def text(self, saying: str, owner: int) -> str:
        self.written += 1
        canary = f"canary{LETTER[owner]}{self.written}"
        self.allowed[owner].add(canary)
        return saying.format(canary)

    def told(self, owner: int | None, step: dict[str, Any], answer: str) -> None:
        """Check an answer. `owner` is None if the call must be refused or concerns no owner. Then the answer must not
        contain any canary."""
        self.answers += 1
        found = set(CANARY.findall(answer))
        self.seen |= found
        alien = found - (self.allowed[owner] if owner is not None else set())
        if alien:
            self.leaks.append(f"{step} told of {sorted(alien)}: {answer[:300]}")


def owner_of_call(step: dict[str, Any]) -> int | None:
    """The owner whose memory the call may use; None if the call must be refused."""
    own = {"ann": ANN, "ben": BEN}.get(step["who"])
    if step["chat"] is None:
        return own
    owner = OWNER.get(step["chat"])
    return owner if own is None or owner == own else None


async def perform(world: World, step: dict[str, Any], clock: Clock) -> None:
    clock.forward(minutes=3)
    owner = owner_of_call(step)
    match step["op"]:
        case "read":
            await _read(world, step)
        case "offer":
            world.told(None, step, await _offered(world.clients[step["who"]], step["what"]))
        case op:
            # Calls that must be refused are made too. Their text belongs to the caller.
            author = owner if owner is not None else {"ann": ANN, "ben": BEN}.get(step["who"], GROUP)
            tool, arguments = _call(world, step, op, author)
            result = await world.clients[step["who"]].session.call_tool(tool, arguments)
            answer = _text(result)
            if result.is_error and owner is None:
                # A refusal is allowed to repeat the text of the call. None of the refusals here repeats it.
                world.told(None, step, answer)
            else:
                _note(world, step, result, owner)
                world.told(owner, step, answer)


def _call(world: World, step: dict[str, Any], op: str, author: int) -> tuple[str, dict[str, Any]]:
    place = {} if step["chat"] is None else {"chat_id": step["chat"]}
    match op:
        case "say":
            text = world.text(step["saying"], author)
            return "record_message", {**place, "role": step["role"], "content": text, "message_id": str(step["number"])}
        case "remember":
            return "remember", {**place, "content": world.text(step["saying"], author), "scope": step["scope"]}
        case "context":
            reply = {"reply_to_message_id": str(step["reply"])} if step["reply"] else {}
            return "get_context", {**place, **reply, "query": step["query"], "detail": step["detail"]}
        case "search":
            return "search_memory", {**place, "query": step["query"], "where": step["where"], "limit": 50}
        case "update":
            more = {"share": {"to_chat_id": step["to"]}, "edit": {"content": world.text(SAYINGS[0], author)}}
            action = step["action"]
            return "update_memory", {**place, "memory_id": step["number"], "action": action, **more.get(action, {})}
        case "forget":
            confirm = {"confirm": world.confirms[-1]} if world.confirms and step["stolen"] else {}
            return "forget", {**place, "topic": step["topic"], **confirm}
        case "explain" if step["what"] == "receipt_id":
            known = world.receipts or ["r0"]
            return "explain", {**place, "receipt_id": known[step["number"] % len(known)]}
        case "explain":
            number = step["number"] if step["what"] == "memory_id" else str(step["number"])
            return "explain", {**place, step["what"]: number}
        case _:
            return step["tool"], place


def _note(world: World, step: dict[str, Any], result: CallToolResult, owner: int | None) -> None:
    """Store receipts and confirm tokens, so that other users can try to use them. Also store the canaries that were
    shared with the group."""
    content = result.structured_content or {}
    if content.get("receipt_id"):
        world.receipts.append(content["receipt_id"])
    if content.get("confirm"):
        world.confirms.append(content["confirm"])
    if step["op"] == "update" and step["action"] == "share" and not result.is_error:
        copied = CANARY.findall(content["content"])
        world.allowed[OWNER[step["to"]]] |= set(copied) if owner in (OWNER[step["to"]], ANN, BEN, GROUP) else set()


async def _read(world: World, step: dict[str, Any]) -> None:
    chat = step["chat"] if step["chat"] is not None else ANN
    own = {"ann": ANN, "ben": BEN}.get(step["who"])
    uri, owner = {
        "profile": ("memory://profile", own),
        "chats": ("memory://chats", own),
        "memory": (f"memory://memory/{step['number']}", own),
    }.get(step["uri"], (f"memory://chat/{chat}/{step['uri']}", owner_of_call({**step, "chat": chat})))
    try:
        read = await world.clients[step["who"]].read_resource(uri, cache_mode="bypass")
        answer = json.dumps([c.model_dump(mode="json") for c in read.contents])
    except MCPError as refusal:
        answer = f"{refusal} {refusal.error}"
    world.told(owner, step, answer)


async def _offered(client: Client, what: str) -> str:
    match what:
        case "prompts":
            return (await client.list_prompts()).model_dump_json()
        case "prompt":
            return (await client.get_prompt("chat_with_memory", {"message": "Hello"})).model_dump_json()
        case "templates":
            return (await client.list_resource_templates()).model_dump_json() + (
                await client.list_resources()
            ).model_dump_json()
        case "tools":
            return (await client.list_tools()).model_dump_json()
        case "chat_id":
            ref = ResourceTemplateReference(type="ref/resource", uri="memory://chat/{chat_id}/summary")
            return (await client.complete(ref, {"name": "chat_id", "value": ""})).model_dump_json()
        case _:
            prompt = PromptReference(type="ref/prompt", name="chat_with_memory")
            return (await client.complete(prompt, {"name": "kind", "value": ""})).model_dump_json()


def _text(result: CallToolResult) -> str:
    return json.dumps(result.model_dump(mode="json"), ensure_ascii=False)


@cache
def lives() -> list[list[dict[str, Any]]]:
    """The most varied of many random sequences. They are generated in advance, because hypothesis cannot use our event
    loop."""
    found: list[list[dict[str, Any]]] = []

    @settings(
        max_examples=8 * LIVES, database=None, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
    )
    @given(st.lists(OPERATIONS, min_size=STEPS, max_size=STEPS))
    def collect(life: list[dict[str, Any]]) -> None:
        found.append(life)

    collect()
    return sorted(found, key=lambda life: len({str(step) for step in life}))[-LIVES:]


@pytest.mark.parametrize(
    ("life", "era"), [(n, era) for n in range(LIVES) for era in (ERAS if DEEP else (ERAS[n % 2],))]
)
async def test_no_user_ever_gets_another_users_words(memory: Memory, clock: Clock, life: int, era: str) -> None:
    callers = {
        "ann": Caller(ANN, frozenset(("assistant",))),
        "ben": Caller(BEN, frozenset(("assistant",))),
        "relay": Caller(None, frozenset(("relay",))),
    }
    async with AsyncExitStack() as stack:
        world = World({})
        for name, caller in callers.items():
            server = build_server(memory.settings, memory.storage, auth=False, caller_of=lambda caller=caller: caller)
            world.clients[name] = await stack.enter_async_context(Client(server, mode=era))
        agent = await stack.enter_async_context(memory.agent())
        for step in lives()[life]:
            if step["op"] == "work":
                await work_off(agent)
            else:
                await perform(world, step, clock)
        assert world.leaks == []
        assert world.answers > STEPS / 2
        assert world.seen, "a life in which nobody is told anything proves nothing"
        assert await strays(memory, world) == []


async def strays(memory: Memory, world: World) -> list[str]:
    """The rows of an owner that contain a canary of another owner, even if no call returned these rows."""
    found: list[str] = []
    async with memory.tables() as tables:
        for table in [row["name"] for row in await tables.fetch(TENANT)]:
            for owner, text in await tables.fetch(f"select owner_id, t::text from {table} t"):
                found += [f"{table} of {owner}: {c}" for c in set(CANARY.findall(text)) - world.allowed[owner]]
    return found
