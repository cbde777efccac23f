"""A context never exceeds its budget, keeps the order of its sections, repeats no text, and records every omitted
message."""

import itertools
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tellonce.contract import SectionName
from tellonce_server.domain.context import lines
from tellonce_server.domain.context.assembly import Assembled, assemble
from tellonce_server.domain.context.budget import cost
from tellonce_server.domain.context.draft import section_shares
from tellonce_server.domain.context.history import STEP
from tellonce_server.domain.context.material import Material
from tellonce_server.domain.retrieval.search_results import Result
from tellonce_server.store.context import ChatHead, Chunk, Remembered
from tellonce_server.store.messages import Line
from tellonce_text.tokens import estimate
from tests.contexts import material_of, rows_of
from tests.depth import depth

ZONE = ZoneInfo("America/New_York")
START = datetime(2026, 3, 7, 12, tzinfo=UTC)
ORDER: list[SectionName] = ["profile", "summary", "memories", "history", "relevant", "quoted"]
TEXT = st.text(alphabet="abc дом 猫 ⟦⟧[]\n.😀", min_size=1, max_size=300).filter(lambda t: t.strip())
MAYBE = st.just("") | TEXT


@st.composite
def materials(draw: st.DrawFn) -> Material:
    covered = draw(st.integers(0, 5)) * 4
    shown = draw(st.integers(0, 30))
    first = max(1, covered - draw(st.integers(0, 3)))
    window = [_line(draw, n) for n in range(first, covered + shown + 1)] if shown or covered else []
    last = window[-1].thread_no if window else 0
    chunks = [
        Chunk(n, 4 * n - 3, 4 * n, START, START + timedelta(days=1), draw(TEXT)) for n in range(1, covered // 4 + 1)
    ]
    confirmed, general, tokens = draw(MAYBE), draw(MAYBE), draw(st.sampled_from([10, 3000]))
    rows = rows_of(
        window,
        covered=covered,
        chat=ChatHead(confirmed, "", general, tokens, "telegram"),
        narrative=draw(MAYBE),
        thread_summary=draw(MAYBE),
        chunks=chunks,
        memories=[_memory(draw, n) for n in range(1, draw(st.integers(0, 15)))],
        quoted=draw(st.none() | st.just(window[0] if window else None)),
    )
    return material_of(
        rows,
        results=[_hit(draw, n) for n in range(1, draw(st.integers(0, 12)))],
        excluded=draw(st.sampled_from([None, last])),
        query="what",
        now=START + timedelta(days=3),
        zone=ZONE,
        total=draw(st.integers(100, 6000)),
    )


def _line(draw: st.DrawFn, number: int) -> Line:
    routine = draw(st.sampled_from([None, None, None, "morning-summary"]))
    role = "assistant" if routine or number % 2 == 0 else "user"
    at = START + timedelta(hours=7 * number)
    return Line(number, number, role, draw(TEXT), routine, "Short." if routine else None, None, at, 0, f"e{number}")


def _memory(draw: st.DrawFn, number: int) -> Remembered:
    kind = draw(st.sampled_from(["fact", "preference", "goal", "date", "pin"]))
    due = START + timedelta(days=number) if kind == "goal" else None
    return Remembered(number, kind, draw(TEXT), None, 3, 0.5, draw(st.booleans()), due, START, False)


def _hit(draw: st.DrawFn, number: int) -> Result:
    kind = draw(st.sampled_from(["message", "summary", "fact"]))
    thread = draw(st.sampled_from(["root:1", "topic:1:5"]))
    return Result(
        kind, number, 1, thread, draw(TEXT), "user", None, START, 10, 1.0, None, (number,), 1.0, None, "active"
    )


def build(material: Material) -> Assembled:
    return assemble(material)


@given(materials())
@settings(max_examples=depth(80, 200), deadline=None)
def test_the_budget_is_never_exceeded(material: Material) -> None:
    built = build(material)
    assert estimate(built.text) <= built.tokens <= material.total


@given(materials())
@settings(max_examples=depth(80, 200), deadline=None)
def test_no_section_is_above_its_share_except_the_last_messages_and_what_others_leave(material: Material) -> None:
    shares = section_shares(material.budgets, material.total)
    for section in build(material).sections:
        if section.name not in ("history", "relevant", "quoted", "memories", "now"):
            assert section.tokens <= shares[section.name], section.name


@given(materials())
@settings(max_examples=depth(60, 150), deadline=None)
def test_sections_stand_in_their_order_and_fences_cannot_be_forged(material: Material) -> None:
    built = build(material)
    names = [section.name for section in built.sections]
    assert names == [name for name in ORDER if name in names]
    for section in built.sections:
        fences = section.text.count("⟦memory⟧"), section.text.count("⟦/memory⟧")
        assert fences in ((1, 1), (0, 0)) or built.truncated
        assert section.text.count("⟦") + section.text.count("⟧") == 2 * sum(fences) or built.truncated


@given(materials())
@settings(max_examples=depth(60, 150), deadline=None)
def test_every_message_of_the_thread_is_accounted_for_once(material: Material) -> None:
    built = build(material)
    cover, rows = built.coverage, material.rows
    assert cover.gap == 0
    assert cover.verbatim + cover.summarised + cover.pending == rows.thread.last_no
    shown = built.included.get("messages", [])
    assert shown == sorted(set(shown))
    begin = min(rows.thread.covered_to, max(0, rows.thread.last_no - material.keep) // STEP * STEP)
    window = [line.id for line in rows.window if line.id != material.excluded and line.thread_no > begin]
    assert window[-3:] == shown[-3:]
    assert shown == window[len(window) - len(shown) :]
    reasons = ("history budget", "enough for a question")
    left = {int(note.split()[1].rstrip(":")) for note in built.left_out if note.endswith(reasons)}
    assert left == set(window) - set(shown)


@given(materials())
@settings(max_examples=depth(60, 150), deadline=None)
def test_nothing_recalled_repeats_what_stands_above(material: Material) -> None:
    built = build(material)
    routines = {line.id for line in material.rows.window if line.routine}
    assert not set(built.included.get("relevant message", [])) & (set(built.included.get("messages", [])) - routines)
    assert not set(built.included.get("relevant summary", [])) & set(built.included.get("summaries", []))
    assert not set(built.included.get("relevant fact", [])) & set(built.included.get("memories", []))


@given(materials())
@settings(max_examples=depth(40, 100), deadline=None)
def test_what_is_passed_over_unwritten_could_not_have_been_paid(material: Material) -> None:
    for hit in material.results:
        whole = hit._replace(full_text=hit.text, tokens=estimate(hit.text))
        rendered = (lines.result_line(whole, material.view, dated=dated) for dated in (True, False))
        assert lines.least_cost(whole) <= min(map(cost, rendered))


@given(materials(), st.sets(st.sampled_from(ORDER), min_size=1))
@settings(max_examples=depth(40, 100), deadline=None)
def test_only_the_sections_asked_for_are_given(material: Material, wanted: set[SectionName]) -> None:
    built = build(replace(material, include=frozenset(wanted)))
    assert {section.name for section in built.sections} <= wanted
    assert built.coverage.gap == 0


@given(materials())
@settings(max_examples=50, deadline=None)
def test_the_same_material_gives_the_same_text(material: Material) -> None:
    assert build(material).text == build(material).text


def talk(messages: int, covered: int, words: int, **more: object) -> Material:
    """A thread. `messages` is the number of messages, and `words` is the number of words in each message. The first
    `covered` messages are summarized."""
    lines = [
        Line(
            *(n, n, "user", f"Word {n} " + "tea " * words, None, None, None),
            *(START + timedelta(minutes=n), 0, f"e{n}"),
        )
        for n in range(max(1, min(covered, messages - 28) + 1), messages + 1)
    ]
    rows = rows_of(lines, covered=covered, narrative="A person. " * 60)
    return material_of(rows, **{"now": START + timedelta(days=1), "zone": ZONE, **more})


def history(material: Material) -> str:
    return next(section.text for section in build(material).sections if section.name == "history")


@pytest.mark.parametrize("query", [None, "What did we say about tea?"])
@pytest.mark.parametrize(("covered", "words"), [(0, 5), (30, 5), (0, 60), (30, 60)])
def test_between_two_turns_the_history_only_grows_at_its_end(covered: int, words: int, query: str | None) -> None:
    turns = [history(talk(n, covered, words, query=query)) for n in range(32, 72)]
    moved = sum(not after.startswith(before) for before, after in itertools.pairwise(turns))
    assert moved <= len(turns) // STEP + 1


def test_at_least_the_last_messages_are_shown_though_they_are_summarised_already() -> None:
    shown = build(talk(60, 50, 5)).included["messages"]
    assert shown[-20:] == list(range(41, 61))


def test_messages_without_a_summary_use_the_shares_that_other_sections_leave() -> None:
    told, full = build(talk(24, 0, 90)), build(talk(60, 0, 90))
    assert told.included["messages"] == list(range(1, 25))
    assert 2000 < told.tokens <= 4300
    assert "history budget" in " ".join(full.left_out)
    assert full.tokens <= 4300 - 800


def test_a_single_section_that_just_fits_is_not_told_to_be_longer() -> None:
    said = {11: "[猫", 12: "[\n[\n猫", 13: "\n[\n[\n[a\n[ ] \n["}
    base = talk(13, 12, 1, total=100, query="what", now=START + timedelta(days=3))
    window = [
        line._replace(
            role="assistant" if line.id == 12 else "user",
            content=said[line.id],
            sent_at=START + timedelta(hours=7 * line.id),
        )
        for line in base.rows.window
        if line.id in said
    ]
    chunks = [
        Chunk(n, 4 * n - 3, 4 * n, START, START + timedelta(days=1), text) for n, text in ((1, "["), (2, "["), (3, "a"))
    ]
    built = build(replace(base, rows=replace(base.rows, narrative="", window=window, chunks=chunks)))
    assert [section.name for section in built.sections] == ["history"]
    assert estimate(built.text) <= built.tokens <= 100


def test_when_short_pins_stay_and_the_profile_goes() -> None:
    pin = Remembered(1, "pin", "Allergic to penicillin", None, 3, 0.9, True, None, START, True)
    material = talk(3, 0, 5, total=120)
    built = build(replace(material, rows=replace(material.rows, memories=[pin])))
    assert "penicillin" in built.text
    assert "profile: budget" in built.left_out or "clipped" in " ".join(built.left_out)


def test_when_not_all_pins_fit_the_most_important_stay() -> None:
    pins = [
        Remembered(n, "pin", f"Pin {n} " + "about penicillin " * 6, None, 3, n / 10, True, None, START, True)
        for n in range(1, 10)
    ]
    material = talk(3, 0, 5, total=220)
    built = build(replace(material, rows=replace(material.rows, memories=pins)))
    kept = [n for n in range(1, 10) if f"Pin {n} " in built.text]
    assert 0 < len(kept) < 9
    assert kept == list(range(10 - len(kept), 10))
