"""Tags are found, taken out, and never shown."""

from hypothesis import given
from hypothesis import strategies as st

from chatmem_relay.tags import Tag, parse, shown_so_far


def test_every_kind_of_tag_is_read_and_removed() -> None:
    answer = (
        "Done!\n[REMEMBER: likes [green] tea]\n[remember_global: lives in Oslo]\n"
        "[GOAL: launch SingPass | DEADLINE: Q2 2026]\n[DONE: taxes]"
    )
    assert parse(answer) == parse(answer)
    assert parse(answer).visible == "Done!"
    assert parse(answer).tags == (
        Tag("remember", "likes [green] tea"),
        Tag("remember_global", "lives in Oslo"),
        Tag("goal", "launch SingPass", "Q2 2026"),
        Tag("done", "taxes"),
    )


def test_a_tag_that_never_closes_ends_with_its_line() -> None:
    parsed = parse("Sure. [REMEMBER: likes tea\nAnything else?")
    assert parsed.visible == "Sure.\nAnything else?"
    assert parsed.tags == (Tag("remember", "likes tea"),)


def test_tags_in_code_are_code() -> None:
    answer = "Write `[REMEMBER: x]` or\n```\n[GOAL: y]\n```"
    assert parse(answer).visible == answer
    assert parse(answer).tags == ()


def test_other_brackets_stay() -> None:
    assert parse("See [1] and [this](link) [note: x]").visible == "See [1] and [this](link) [note: x]"


@given(st.text(alphabet="ab[]:|`\n REMBGOALDN_", max_size=60), st.integers(0, 60))
def test_half_a_tag_is_never_shown_while_streaming(answer: str, cut: int) -> None:
    shown = shown_so_far(answer[:cut])
    assert "[REMEMBER:" not in shown.replace("`", "") or "`" in answer


@given(st.text(max_size=200))
def test_text_without_tags_is_only_trimmed(text: str) -> None:
    assert "".join(parse(text.replace("[", "(")).visible.split()) == "".join(text.replace("[", "(").split())
