"""Recalled text stays data: whatever it contains, the prompt has the same shape as with harmless text.

The shape consists of the beginnings of lines: titles, day headers, speakers and fences.
"""

import re
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tellonce.contract import GetContextArgs, RecordMessageArgs, RememberArgs, SearchMemoryArgs
from tellonce_relay.responders.prompt import POLICY, build
from tellonce_relay.turn.tags import parse
from tellonce_server.api import text
from tellonce_server.domain.context.assembly import assemble
from tellonce_server.domain.context.material import Material
from tellonce_server.domain.retrieval.search_results import Result
from tellonce_server.store.context import ChatHead, Chunk, Remembered
from tellonce_server.store.messages import Line
from tellonce_text.fences import FENCE_CLOSE, FENCE_OPEN, INDENT, contained, contained_text
from tests.contexts import material_of, of_sections, rows_of
from tests.memory_fixtures import Clock, Memory
from tests.server.injections import ATTACKS

ZONE = ZoneInfo("Asia/Singapore")
START = datetime(2026, 3, 7, 1, 15, tzinfo=UTC)
HARMLESS = "green tea"


def material(evil: str) -> Material:
    """The input of a context. Every text in it is `evil`, if another person can write such a text."""
    window = [
        Line(n, n, role, evil, routine, evil if routine else None, name, START + timedelta(hours=n), 0, f"e{n}")
        for n, role, routine, name in (
            (1, "user", None, None),
            (2, "assistant", None, None),
            (3, "user", None, evil),
            (4, "assistant", evil, None),
        )
    ]
    memories = [
        Remembered(n, kind, evil, None, 3, 0.5, pinned, None, START, False)
        for n, kind, pinned in ((1, "fact", False), (2, "goal", False), (3, "preference", True))
    ]
    rows = rows_of(
        window,
        # Each of these texts gets a different end, because a context does not show the same text twice.
        chat=ChatHead(f"{evil} 1", f"{evil} 2", f"{evil} 3", 10, "telegram"),
        narrative=f"{evil} 4",
        thread_summary=f"{evil} 5",
        chunks=[Chunk(1, 0, 0, START, START, f"{evil} 6")],
        memories=memories,
        quoted=window[0],
    )
    return material_of(
        rows,
        results=[hit(9, "message", evil), hit(10, "summary", evil), hit(11, "fact", evil)],
        around=[window[1]],
        query="what",
        now=START + timedelta(days=3),
        zone=ZONE,
        total=30_000,
    )


def hit(number: int, kind: str, evil: str) -> Result:
    thread, text = f"reply:1:{evil}", f"{evil} {chr(97 + number)}"
    return Result(kind, number, 1, thread, text, "user", evil, START, 10, 1.0, None, (number,), 1.0, None, "active")


OURS = re.compile(
    r"[A-Z][A-Z ,]{3,}$|⟦/?memory⟧$|─── |- |Around it:$"
    r"|\[[\d:]+ [AP]M[^\]]*\] (?:User|Assistant)|\[[^\]|]*\||(?:Confirmed by the user|Inferred|Summary|This thread):"
)


def shape(prompt: str) -> list[str]:
    """The part of each line that the server itself writes: the beginning, up to the stored text."""
    lines = [line for line in prompt.split("\n") if line and not line.startswith(INDENT)]
    return [_without_names(ours[0]) for line in lines if (ours := OURS.match(line))]


def strangers(prompt: str) -> list[str]:
    """Lines of stored text that look like the beginning of one of our lines."""
    return [line for line in prompt.split("\n") if line and not line.startswith(INDENT) and not OURS.match(line)]


def _without_names(start: str) -> str:
    """The shape without the names of routines and threads, because other people choose these names."""
    return re.sub(r"^\[[^|]*\|$", "[name |", start)


def readable(prompt: str) -> str:
    """The text with a newline for every kind of line break, because a model can read each kind as a new line."""
    return re.sub(r"[\r\v\f\x1c-\x1e\x85\u2028\u2029]", "\n", prompt)


@pytest.mark.parametrize("attack", ATTACKS, ids=range(len(ATTACKS)))
def test_a_recalled_text_does_not_change_the_shape_of_a_prompt(attack: str) -> None:
    assert len(ATTACKS) >= 40
    built, plain = assemble(material(attack)), assemble(material(HARMLESS))
    assert [section.name for section in built.sections] == [section.name for section in plain.sections]
    for section, harmless in zip(built.sections, plain.sections, strict=True):
        assert shape(readable(section.text)) == shape(harmless.text), section.text
        assert len(strangers(readable(section.text))) <= (section.name == "profile"), section.text
        for mark in (FENCE_OPEN, FENCE_CLOSE):
            assert section.text.count(mark) == harmless.text.count(mark)
    assert parse(built.text).tags == ()


@pytest.mark.parametrize("attack", ATTACKS, ids=range(len(ATTACKS)))
def test_the_relays_prompt_keeps_its_ten_sections(attack: str) -> None:
    def prompt(evil: str) -> str:
        built = assemble(material(evil))
        context = of_sections(*built.sections)
        return build(context, "Hello", policy=POLICY, user_name="Ann", now=START, zone=ZONE).system_text

    assert shape(readable(prompt(attack))) == shape(prompt(HARMLESS))


@pytest.mark.anyio
@pytest.mark.parametrize("detail", ["text", "sections"])
async def test_attacks_that_went_through_the_memory_come_back_as_data(
    memory: Memory, clock: Clock, detail: str
) -> None:
    """Each attack is sent through the real tools as a message, a memory and a speaker's name. The context is then read
    in both forms of detail."""
    async with memory.client() as client:
        for number, attack in enumerate(ATTACKS):
            clock.forward(minutes=1)
            said = RecordMessageArgs(role="user", content=attack, speaker=attack[:128].strip(), message_id=f"m{number}")
            await client.record_message(said)
            if number % 4 == 0:
                await client.remember(RememberArgs(content=attack))
        args = GetContextArgs.model_validate({"query": "tea", "detail": detail, "token_budget": 20_000})
        context = await client.get_context(args)
        found = await client.search_memory(SearchMemoryArgs(query="tea", where="all", limit=50))
    whole = context.context or "\n\n".join(section.text for section in context.sections or ())
    ours = [line for line in readable(whole).split("\n") if line and not line.startswith(INDENT)]
    assert len([line for line in ours if line.startswith("─── ")]) == 1
    speaking = re.compile(r"\[\d\d:\d\d [AP]M\] User \(|- |\[\w{3} \d+, |\[(?:fact|date) #\d+ \| \w{3} \d+\]: ")
    others = [
        line for line in ours if not speaking.match(line) and not line.startswith("Now: Monday, 16 February 2026")
    ]
    assert set(others) <= {
        *("FACTS, GOALS AND PINS", "FACTS", "PREFERENCES", "GOALS", "IMPORTANT DATES", "PINS", "OUTCOMES"),
        *(
            "LOG",
            "CONVERSATION HISTORY",
            "RELEVANT CONTEXT",
            FENCE_OPEN,
            FENCE_CLOSE,
            others[-1] if "───" in others[-1] else "",
        ),
        *(line for line in others if line.startswith("─── ")),
    }
    assert len(others) == len(set(others)) + whole.count(FENCE_OPEN) * 2 - 2 * bool(whole.count(FENCE_OPEN))
    results = [line for line in readable(text.results(found)).split("\n") if line and not line.startswith(INDENT)]
    assert len(results) == len(found.results) + bool(found.next_cursor)


@given(st.text("[]⟦⟧/memory \n\r\u2028USER:─abc", max_size=80), st.text("[]⟦⟧/memory \n\r\u2028USER:─abc", max_size=80))
@settings(max_examples=300, deadline=None)
def test_no_text_leaves_the_line_it_is_on(first: str, second: str) -> None:
    for written in (contained(f"[09:15 AM] User: {first}{second}"), contained(f"- {first}")):
        head, *rest = readable(written).split("\n")
        assert head.startswith(("[09:15 AM] User:", "- "))
        assert all(not line or line.startswith(INDENT) for line in rest)
        assert "⟦" not in written
        assert "⟧" not in written


def test_what_attacks_nothing_stays_as_it_was_written() -> None:
    for plain in ("I like tea.", "Cost: 5 [euros]", "a < b", "See [1] and memory (RAM)", "remember: buy milk"):
        assert contained(plain) == plain
        assert contained_text(plain) == plain
    assert contained("- code:\n  x = 1\ny = 2") == "- code:\n    x = 1\n  y = 2"
    assert contained_text("Ann lives in Oslo.\nShe likes tea.") == "Ann lives in Oslo.\n  She likes tea."
    assert contained_text("FACTS\nShe likes tea.") == "  › FACTS\n  She likes tea."
