"""The dated log in contexts with large budgets. The log is the same for every question. Lines are added at its end, one
for each fact that was learned and each thing that was done."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from tellonce_server.domain.context.assembly import assemble
from tellonce_server.domain.context.budget import log_share
from tellonce_server.domain.context.log import LINE, STEP
from tellonce_server.domain.context.material import Material
from tellonce_server.domain.retrieval.search_results import Result
from tellonce_server.store.context import Happened, Learned, LogRows, Remembered
from tellonce_server.store.messages import Line
from tellonce_text.tokens import estimate
from tests.contexts import material_of, rows_of

START = datetime(2026, 1, 1, 12, tzinfo=UTC)
LARGE = 12_000


def learned(count: int, **more: object) -> list[Learned]:
    """Memories learned on consecutive days, newest first as the store returns them."""
    facts = [
        Learned(
            n,
            "fact",
            f"Fact {n} is that the user keeps a diary of thing {n}",
            START + timedelta(days=n),
            "active",
            False,
            "user",
        )
        for n in range(1, count + 1)
    ]
    return [fact._replace(**more) for fact in facts][::-1]


def log_of(material: Material) -> list[str]:
    section = next((s for s in assemble(material).sections if s.name == "log"), None)
    return section.text.split("\n")[2:-1] if section else []


def of(log: LogRows, **more: object) -> Material:
    return material_of(rows_of(), log=log, total=LARGE, now=START + timedelta(days=2_000), **more)


def test_lines_are_dated_oldest_first_and_the_default_budget_has_none() -> None:
    chunk = Happened(
        START + timedelta(days=1),
        START + timedelta(days=2, hours=1),
        "A talk.",
        {"decisions": ["The hall is green"], "goals": ["x"]},
    )
    said = Happened(
        START, START, "User: “Fact 1 is that the user keeps a diary of thing 1” (2026-01-02)\nUser: “Hm.”", {}
    )
    material = of(LogRows(learned(3, about="Ann", note=True), [said, chunk]))
    first, told, second, done, third = log_of(material)
    assert first == "[Summary | Jan 1, 2026]: User: “Hm.”"
    assert told == "[fact #1 | Jan 2, 2026]: Ann: “Fact 1 is that the user keeps a diary of thing 1”"
    assert done == "[Summary | Jan 2–3, 2026]: The hall is green"
    assert ["#2" in second, "#3" in third] == [True, True]
    assert log_of(replace(material, total=4_300)) == []


def test_a_log_is_the_same_whatever_is_asked_and_grows_at_its_end() -> None:
    hit = Result(
        "message", 9, 1, "root:1", "x " * 400, "user", None, START, 400, 9.0, None, (), 1.0, full_text="x " * 400
    )
    many = learned(410)
    asked = of(LogRows(many), query="What?", results=[hit._replace(id=n) for n in range(8)])
    assert log_of(of(LogRows(many))) == log_of(asked)
    assert estimate("\n".join(log_of(asked))) <= log_share(LARGE)
    # If a question needs most of the budget, the log loses its first lines, and the rest of the log is unchanged.
    busy = of(LogRows(many), query="What?", results=[hit._replace(id=n) for n in range(40)])
    assert assemble(busy).text.count("x x") == assemble(replace(busy, log=LogRows())).text.count("x x")
    assert log_of(asked)[-len(log_of(busy)) :] == (log_of(busy) or log_of(asked))
    later = log_of(of(LogRows(learned(411))))
    assert later[:-1] == log_of(asked)
    # The start of the log moves in large steps. A hundred more lines move the start only a few times.
    starts = {log_of(of(LogRows(learned(410 + n))))[0] for n in range(0, 100, 5)}
    assert len(starts) <= 1 + -(-100 // STEP)
    # If old lines are no longer read from the database, the choice of the other lines does not change.
    assert log_of(of(LogRows(many[:300], omitted=110))) == log_of(asked)


def test_what_the_log_says_is_not_said_again_by_facts() -> None:
    fact = learned(1)[0]
    told = Remembered(1, "fact", fact.content, None, 3, 0.5, False, None, fact.at, False)
    pin = told._replace(id=2, content="The user's blood type is A", pinned=True)
    built = assemble(material_of(rows_of(memories=[told, pin]), log=LogRows([fact]), total=LARGE))
    assert built.text.count(fact.content) == 1
    assert "blood type" in built.text
    assert built.included["log"] == [1]


def test_what_was_learned_from_the_window_joins_the_log_when_its_message_leaves_the_window() -> None:
    line = Line(7, 7, "user", "I keep a diary.", None, None, None, START, 0, None)
    log = LogRows([fact._replace(last_source=source) for fact, source in zip(learned(3), (7, 6, None), strict=True)])
    assert [text.split()[1] for text in log_of(replace(of(log), rows=rows_of([line])))] == ["#1", "#2"]
    assert [text.split()[1] for text in log_of(of(log))] == ["#1", "#2", "#3"]


def test_words_that_the_window_or_the_log_shows_are_not_shown_again() -> None:
    at = START + timedelta(days=1)
    old, new = "I keep bees behind the barn at home.", "The doctor sees me on May 2 at 9am."
    notes = [Learned(n, "fact", text, at, "active", True, "user") for n, text in ((1, old), (2, new))]
    chunk = Happened(at, at, f"User: “{new[:-1]} (2026-05-02 09:00).” (2026-01-02)", {})
    line = Line(7, 7, "user", f"Well. {old}", None, None, None, at, 0, None)
    found = [
        Result("message", n, 9, "root:9", text, "user", None, said_at, 20, 9.0, None, (), 1.0, full_text=text)
        for n, text, said_at in ((1, new, at), (2, new, at + timedelta(days=9)), (3, "Yes.", at), (4, line.content, at))
    ]
    log = LogRows(notes, [chunk])
    built = assemble(
        material_of(
            *(rows_of([line]),), log=log, total=LARGE, now=at + timedelta(days=99), query="When?", results=found
        )
    )
    assert [text.split()[1] for text in log_of(replace(of(log), rows=rows_of([line])))] == ["#2"]
    assert built.text.count(old) == 1
    assert built.text.count(new[:-1]) == 2, "the same words of another day are shown"
    assert built.included["relevant message"] == [2, 3]


def test_a_huge_memory_is_clipped_and_leaves_the_other_lines_of_the_log() -> None:
    facts = learned(30)
    huge = facts[0]._replace(id=99, content="The user dictated a novel. " * 4_000)
    shown = log_of(of(LogRows([huge, *facts[1:]])))
    assert [f"#{n} " in text for n, text in enumerate(shown, 1)] == [True] * 29 + [False]
    assert shown[-1].startswith("[fact #99 | ")
    assert shown[-1].endswith("…")
    assert estimate(shown[-1]) <= LINE
