"""What the page says about a receipt."""

from datetime import UTC, datetime

from tellonce import contract as c
from tellonce_server.services.page.answer_summary import answer_summary


def test_things_are_counted_by_kind_and_by_the_reason_why_they_were_left_out() -> None:
    relevant = "RELEVANT CONTEXT\n[Note #7, Feb 15] in Lisbon\n- #8 likes tea (Feb 15)\nand more"
    receipt = c.Explanation(
        subject="receipt",
        id="r1",
        at=datetime(2026, 2, 16, tzinfo=UTC),
        text="",
        sections=(c.Section(name="relevant", title="", text=relevant, tokens=9, stability="volatile"),),
        included={
            "messages": (1, 2),
            "log": (3,),
            "relevant message": (4,),
            "relevant message in chat 99": (5, 6),
            "relevant fact": (8,),
        },
        left_out=(
            "message 7: history budget",
            "log 48: earlier lines, log budget",
            "profile: budget",
            "memory 3: clipped",
        ),
    )
    seen = answer_summary(receipt, None)
    assert seen.shown == {"messages": 2, "lines": 1}
    assert seen.found == {"messages": 3, "memories": 1}
    full, clipped = seen.left
    assert (full.why, full.things) == ("full", {"messages": 1, "lines": 48, "section.profile": 1})
    assert (clipped.why, clipped.things) == ("clipped", {"memories": 1})
    assert [(line.memory_id, line.text[:10]) for line in seen.recalled] == [(7, "[Note #7, "), (8, "#8 likes t")]
