"""The parts of a context, tested separately. Each part subtracts the tokens of its lines from the budget."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from tellonce.contract import MemoryKind, SectionName
from tellonce.settings import Budgets
from tellonce_server.domain.context.budget import TokenBudget
from tellonce_server.domain.context.draft import Draft
from tellonce_server.domain.context.history import ALWAYS, STEP, History
from tellonce_server.domain.context.memories_section import Memories, ranked_memories
from tellonce_server.store.context import Remembered
from tellonce_server.store.messages import Line
from tests.contexts import material_of, rows_of

START = datetime(2026, 3, 7, 9, tzinfo=UTC)
UTC_ZONE = ZoneInfo("UTC")


def draft(messages: int, total: int = 4300, include: frozenset[SectionName] | None = None) -> Draft:
    """A draft for a thread without summaries. `messages` is the number of messages. There are four messages per day."""
    window = [
        Line(
            *(n, n, "user", f"word {n} of the talk", None, None, None),
            *(START + timedelta(days=n // 4), 0, f"e{n}"),
        )
        for n in range(1, messages + 1)
    ]
    material = material_of(rows_of(window), now=START + timedelta(days=30), total=total, include=include)
    return Draft(material, TokenBudget(total), Budgets())


def remembered(number: int, kind: MemoryKind, *, pinned: bool = False) -> Remembered:
    return Remembered(number, kind, f"statement {number}", None, 3, 0.5, pinned, None, START, True)


def test_the_last_messages_are_paid_first_and_written_with_the_others() -> None:
    d = draft(20)
    history = History(d)
    history.fill_newest()
    left = d.token_budget.left
    assert left < 4300
    assert "history" not in d.bodies
    history.fill_older()
    history.fill_summaries()
    assert d.token_budget.left < left
    assert [line.id for line in history.messages] == d.included["messages"] == list(range(1, 21))


def test_every_day_of_the_history_is_headed_once() -> None:
    d = draft(20)
    history = History(d)
    history.fill_newest()
    history.fill_older()
    history.fill_summaries()
    days = [line for line in d.bodies["history"].split("\n") if line.startswith("───")]
    assert len(days) == len(set(days)) == 6


def test_a_history_that_is_cut_begins_at_a_step_and_names_what_it_left_out() -> None:
    d = draft(40, total=300)
    history = History(d)
    history.fill_newest()
    history.fill_older()
    shown = [line.thread_no for line in history.messages]
    assert ALWAYS < len(shown) < 40
    assert shown[0] % STEP == 1
    assert len([x for x in d.left_out if x.endswith("history budget")]) == 40 - len(shown)


def test_a_history_nobody_asked_for_costs_nothing() -> None:
    d = draft(20, include=frozenset(("profile",)))
    history = History(d)
    history.fill_newest()
    history.fill_older()
    assert (d.token_budget.left, d.bodies, list(history.messages)) == (4300, {}, [])


def test_pins_and_other_memories_pay_one_title_and_stand_by_kind() -> None:
    others = [remembered(2, "goal"), remembered(3, "fact")]
    alone, d = draft(0), draft(0)
    Memories(alone).fill(others)
    memories = Memories(d)
    memories.fill([remembered(1, "fact", pinned=True)])
    after_pins = d.token_budget.left
    memories.fill(others)
    memories.write()
    assert after_pins - d.token_budget.left < 4300 - alone.token_budget.left
    assert d.bodies["memories"].split("\n") == [
        *("FACTS", "- #3 statement 3 (Mar 7)"),
        *("GOALS", "- #2 statement 2 (Mar 7)"),
        *("PINS", "- #1 statement 1 (Mar 7)"),
    ]
    assert memories.ids == d.included["memories"] == [1, 2, 3]


def test_memories_that_do_not_fit_their_share_are_named() -> None:
    d = draft(0, total=60)
    memories = Memories(d)
    memories.fill([remembered(n, "fact") for n in range(1, 30)])
    memories.write()
    kept = memories.ids
    assert 0 < len(kept) < 29
    assert d.left_out == [f"memory {n}: memories budget" for n in range(1, 30) if n not in kept]


def test_memories_beyond_their_share_use_what_no_other_section_needs() -> None:
    d = draft(3)
    memories = Memories(d)
    memories.fill([remembered(n, "fact") for n in range(1, 90)])
    share = list(memories.ids)
    memories.fill_rest({88})
    memories.write()
    assert len(share) < 60
    assert memories.ids == [*range(1, 88), 89]
    assert d.left_out == []


def test_the_rest_of_the_memories_is_taken_in_steps_so_that_it_seldom_changes() -> None:
    shown: list[list[int]] = []
    for left in range(400, 600, 20):
        d = draft(0)
        memories = Memories(d)
        memories.fill([remembered(n, "fact") for n in range(1, 90)])
        d.token_budget.left = left
        memories.fill_rest(())
        shown.append(memories.ids)
        assert d.token_budget.left >= 0
    assert len({len(ids) for ids in shown}) == 1


def test_a_memory_whose_day_is_soon_comes_before_newer_ones_and_a_past_or_distant_day_does_not() -> None:
    today = START.date()
    days = {1: 3, 2: None, 3: -1, 4: 40, 5: 0, 6: None}
    told = [
        remembered(n, "fact")._replace(
            valid_from=START + timedelta(hours=n), happens=None if day is None else START + timedelta(days=day)
        )
        for n, day in days.items()
    ]
    first, others = ranked_memories(told, [2], today, UTC_ZONE)
    assert [m.id for m in first] == [2]
    assert [m.id for m in others] == [5, 1, 6, 4, 3]
    assert [m.id for m in ranked_memories([told[0]._replace(deadline=START)], [], today, UTC_ZONE)[1]] == [1]
    trip = told[3]._replace(happens=START + timedelta(days=9), deadline=START + timedelta(days=16))
    assert [m.id for m in ranked_memories([trip, told[5]], [], today, UTC_ZONE)[1]] == [4, 6], "a trip begins soon"
