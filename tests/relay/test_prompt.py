"""The prompt has ten sections in order. A cache breakpoint is placed before each text that changes more often than the
text before it."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from tellonce import contract as c
from tellonce_relay.responders.prompt import Prompt, build
from tellonce_server.domain.context.draft import SECTIONS
from tests.contexts import of_sections

NOW = datetime(2026, 2, 16, 1, 15, tzinfo=UTC)
SINGAPORE = ZoneInfo("Asia/Singapore")
TITLES: dict[c.ShownName, str] = {
    "profile": "USER PROFILE",
    "summary": "CHAT SUMMARY",
    "memories": "FACTS",
    "history": "CONVERSATION HISTORY",
    "relevant": "RELEVANT CONTEXT",
    "quoted": "QUOTED MESSAGE",
}


def prompt(message: str = "Hello", *, fallback: str = "", minute: int = 15, **texts: str) -> Prompt:
    sections = tuple(
        c.Section.model_validate(
            {
                "name": name,
                "title": TITLES[name],
                "text": f"{TITLES[name]}\n{text}",
                "tokens": 1,
                "stability": SECTIONS[name].stability,
            }
        )
        for name, text in texts.items()
    )
    now = NOW.replace(minute=minute)
    return build(
        of_sections(*sections), message, policy="POLICY", user_name="Priya", now=now, zone=SINGAPORE, profile=fallback
    )


def whole(**more: str) -> dict[str, str]:
    return {name: f"about {name}" for name in TITLES} | more


def test_the_sections_stand_in_their_order() -> None:
    text = prompt("What now?", **whole()).text
    order = ["POLICY", "You are speaking with Priya. Current time: Monday, 16 February 2026", *TITLES.values()]
    order += ["MEMORY MANAGEMENT", "User: [09:15 AM] What now?"]
    places = [text.index(part) for part in order]
    assert places == sorted(places)
    assert "UTC" not in text


def test_at_most_four_blocks_are_breakpoints_and_what_is_volatile_is_none() -> None:
    blocks = prompt(**whole(history="\n".join(f"[09:15 AM] User: {i}" for i in range(100)))).system
    assert sum(block.cache for block in blocks) <= 4, "the API takes four"
    assert blocks[0].cache
    assert "RELEVANT CONTEXT" in blocks[-1].text
    assert not blocks[-1].cache


@given(st.integers(1, 80), st.integers(1, 30))
def test_a_growing_history_keeps_the_blocks_before_its_end(lines: int, more: int) -> None:
    def blocks(count: int, minute: int) -> list[str]:
        history = "\n".join(f"[09:15 AM] User: message {i}" for i in range(count))
        return [b.text for b in prompt(minute=minute, **whole(history=history, relevant=f"hit {minute}")).system]

    before, after = blocks(lines, 15), blocks(lines + more, 16)
    cached = len(before) - 2  # all except the incomplete block of the history and the volatile block
    assert after[:cached] == before[:cached]


def test_the_profile_of_the_settings_is_shown_only_while_the_memory_has_none() -> None:
    assert "USER PROFILE\nLikes tea" in prompt(fallback="Likes tea").text
    assert "Likes tea" not in prompt(fallback="Likes tea", **whole()).text


def test_the_model_knows_that_of_a_picture_it_has_the_label_only() -> None:
    assert "[photo]" in prompt("[photo] Nice?").system[0].text


def test_what_a_message_answers_stands_in_the_prompt_and_a_last_message_that_is_shown_does_not() -> None:
    focus = c.Focus(source="slot", message_id=3, role="assistant", text="Which day?", slot="day", value="next\nFriday")
    context = of_sections().model_copy(update={"focus": focus})
    asked = build(context, "Next Friday", policy="P", user_name="Priya", now=NOW, zone=SINGAPORE)
    assert "FOCUS\nThe message answers what you asked for: day = next Friday." in asked.text
    latest = focus.model_copy(update={"source": "latest", "slot": None, "value": None})
    unseen = build(
        of_sections().model_copy(update={"focus": latest}), "Ok", policy="P", user_name="P", now=NOW, zone=SINGAPORE
    )
    assert "refers to yours: “Which day?”" in unseen.text
    shown = c.Section(name="history", title="H", text="[09:15 AM] Assistant: Which day?", tokens=9, stability="append")
    seen = of_sections(shown).model_copy(update={"focus": latest})
    assert "FOCUS" not in build(seen, "Ok", policy="P", user_name="P", now=NOW, zone=SINGAPORE).text


def test_every_section_of_a_context_reaches_the_prompt() -> None:
    sections = (
        c.Section(name=name, title=layout.title, text=f"about {name}", tokens=1, stability=layout.stability)
        for name, layout in SECTIONS.items()
        if name != "now"  # the prompt shows the time itself
    )
    text = build(of_sections(*sections), "Hi", policy="P", user_name="Priya", now=NOW, zone=SINGAPORE).text
    assert [name for name in SECTIONS if name != "now" and f"about {name}" not in text] == []
