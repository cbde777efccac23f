"""Tests with real processes. After the user has rejected an uncertain statement, the user is not asked about it again.
This includes the same statement in other words."""

import re
from pathlib import Path

import pytest

from tellonce import contract as c
from tellonce.client import MemoryClient
from tellonce.connect import connect_http
from tests.chain.server_and_summarizer import say, scene_with
from tests.patience import until
from tests.stubs.replies import Reply, Say, say_json
from tests.stubs.stub import Asked

pytestmark = [pytest.mark.anyio, pytest.mark.model]

LINE = re.compile(r"^\[(\d+)\] user, .{20}: (.*)$", re.MULTILINE)
DENIED = re.compile(r"^#(\d+) [^:]*denied by the user: .*Berlin", re.MULTILINE)
DOUBT = "I might move to Berlin next year"
HINTS = {
    DOUBT: "The user might move to Berlin",
    "Berlin keeps tempting me as a place": "The user is considering a move to Berlin",
    "Perhaps it will be Berlin one day": "Berlin may become the user's new home",
    "I can see myself settling at the Spree": "The user would like to live in Germany's capital",
    "A life in Bonn would suit me": "The user might move to Bonn",
}
STATED = "It is decided: I move to Berlin in May."


def model(asked: Asked) -> Reply:
    """A model that puts every hint into other words. It also recognizes a statement that the user has denied."""
    fields = set((asked.schema or {}).get("properties", {}))
    if "verdicts" in fields:
        return say_json({"verdicts": [{"number": 1, "holds": True, "why": ""}]})
    if "items" not in fields:
        return say_json({"paragraph": "A talk."}) if "paragraph" in fields else Say("A person.")
    denied = DENIED.search(asked.user.partition("MODE:")[0])
    said = LINE.findall(asked.user.partition("NEW MESSAGES\n")[2])
    items = [
        {
            "quotes": [{"message_id": int(number), "text": text}],
            "text": HINTS.get(text, "The user moves to Berlin in May"),
            "kind": "goal",
            "certain": text == STATED,
            "same_as": int(denied[1]) if denied and "Bonn" not in text else 0,
        }
        for number, text in said
    ]
    return say_json({"items": items, "canonical": {"llm_inferred": "", "general_summary": ""}})


async def uncertain(client: MemoryClient) -> list[c.Memory]:
    return list((await client.get_profile(c.GetProfileArgs())).uncertain)


async def test_a_rejected_doubt_is_not_asked_again_in_other_words_until_it_is_stated(tmp_path: Path, dsn: str) -> None:
    async with (
        scene_with(model, tmp_path, dsn) as scene,
        connect_http(scene.server.url, scene.server.token()) as client,
    ):
        await scene.with_model()
        await say(client, DOUBT)
        await until(scene.idle)
        (doubt,) = await uncertain(client)
        await client.update_memory(c.UpdateMemoryArgs(memory_id=doubt.id, action="reject"))
        for hint in HINTS:
            await say(client, hint)
            await until(scene.idle)
        asked = [m.content for m in await uncertain(client)]
        await say(client, STATED)
        await until(scene.idle)
        goals = [m.content for m in (await client.get_profile(c.GetProfileArgs())).goals]
        dropped = (await scene.status()).reading.dropped
    assert asked == ["The user might move to Bonn"], "another doubt is asked about"
    assert dropped == {"rejected before": 4}
    assert goals == ["The user moves to Berlin in May"]
