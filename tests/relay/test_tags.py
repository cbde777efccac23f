"""Tags are found, taken out, and never shown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatmem_relay.tags import Parsed, Tag, parse, shown_so_far


def test_every_kind_of_tag_is_read_and_removed() -> None:
    parsed = parse(
        "Done!\n[REMEMBER: likes [green] tea]\n[remember_global: lives in Oslo]\n"
        "[GOAL: launch SingPass | DEADLINE: Q2 2026]\n[DONE: taxes]"
    )
    assert parsed.visible == "Done!"
    assert parsed.tags == (
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
    for answer in (
        "Write `[REMEMBER: x]` or\n```\n[GOAL: y]\n```",
        "10. Write:\n\n    ```\n    a = 1\n\n    [DONE: z]\n    ```",
    ):
        assert parse(answer) == Parsed(answer, ())


def test_other_brackets_stay() -> None:
    assert parse("See [1] and [this](link) [note: x]").visible == "See [1] and [this](link) [note: x]"


@pytest.mark.parametrize(
    ("answer", "visible", "tags"),
    [
        ("[REMEMBER: a [b [c]] d] ok", "ok", [Tag("remember", "a [b [c]] d")]),
        ("**[REMEMBER: a]** ok", "ok", [Tag("remember", "a")]),
        ("- one\n- [REMEMBER: a]\n- two", "- one\n- two", [Tag("remember", "a")]),
        ("Ja. [REMEMBER: mag grünen Tee]", "Ja.", [Tag("remember", "mag grünen Tee")]),
        ("好。[REMEMBER：喜欢绿茶]", "好。", [Tag("remember", "喜欢绿茶")]),
        ("نعم [REMEMBER: يحب الشاي]", "نعم", [Tag("remember", "يحب الشاي")]),
        ("[GOAL: 参加马拉松｜DEADLINE：五月]", "", [Tag("goal", "参加马拉松", "五月")]),
        ("[goal: run | deadline:]", "", [Tag("goal", "run")]),
        ("[REMEMBER: ]", "", []),
        ("[REMEMBER: ...] Fine", "Fine", []),
        ("[DONE: a][DONE: b] and [REMEMBER: c", "and", [Tag("done", "a"), Tag("done", "b"), Tag("remember", "c")]),
        ("[REMEMBER: a\n[GOAL: b]\nbye", "bye", [Tag("remember", "a"), Tag("goal", "b")]),
        ("Use ` and [REMEMBER: a] here", "Use ` and here", [Tag("remember", "a")]),
        ("```py\nx = 1\n```\n[REMEMBER: a]", "```py\nx = 1\n```", [Tag("remember", "a")]),
        ("```\nnever closed\n[REMEMBER: a]", "```\nnever closed\n[REMEMBER: a]", []),
        ("[REMEMBER_GLOBAL: a\nb] ok", "ok", [Tag("remember_global", "a b")]),
    ],
)
def test_a_tag_is_read_wherever_a_model_puts_it(answer: str, visible: str, tags: list[Tag]) -> None:
    assert parse(answer).visible == visible
    assert list(parse(answer).tags) == tags


@given(st.lists(st.sampled_from(["[REMEMBER: tea]", "[DONE: x", "[GOAL: [y]]", "word", "**", "\n", "\n\n", " ", "]"])))
def test_outside_of_code_no_tag_is_ever_shown(pieces: list[str]) -> None:
    shown = parse("".join(pieces)).visible
    assert not any(name in shown for name in ("[REMEMBER", "[DONE", "[GOAL"))


@given(st.text(alphabet="ab[]:|`\n REMBGOALDN_", max_size=60), st.integers(0, 60))
def test_half_a_tag_is_never_shown_while_streaming(answer: str, cut: int) -> None:
    shown = shown_so_far(answer[:cut])
    assert "[REMEMBER:" not in shown.replace("`", "") or "`" in answer


@given(st.text(max_size=200))
def test_text_without_tags_is_only_trimmed(text: str) -> None:
    assert "".join(parse(text.replace("[", "(")).visible.split()) == "".join(text.replace("[", "(").split())
