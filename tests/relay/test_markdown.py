"""Models' Markdown becomes plain text with marks that Telegram accepts, in parts that fit into a message."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tellonce_relay.telegram.markdown import MESSAGE_UNITS, MOST_SIGNS, Mark, Marked, rendered, split_marked, units


@pytest.mark.parametrize(
    ("source", "text", "marks"),
    [
        ("plain", "plain", []),
        ("**bold** and *it*", "bold and it", [("bold", 0, 4), ("italic", 9, 2)]),
        ("🙂 **b**", "🙂 b", [("bold", 3, 1)]),
        ("# Title\n\ntext", "Title\n\ntext", [("bold", 0, 5)]),
        ("- a\n- b\n  - c", "• a\n• b\n  • c", []),
        ("3. a\n4. b", "3. a\n4. b", []),
        ("`x < y`", "x < y", [("code", 0, 5)]),
        ("```py\nx = 1\n```", "x = 1", [("pre", 0, 5)]),
        ("[docs](https://a.b)", "docs", [("text_link", 0, 4)]),
        ("[bad](javascript:x)", "[bad](javascript:x)", []),
        ("> said", "said", [("blockquote", 0, 4)]),
        ("2 * 3 * 4 and snake_case_name", "2 * 3 * 4 and snake_case_name", []),
        (
            "2*3*4 = 24, 2**8**2, **5** and `2*3*4`",
            "2*3*4 = 24, 2**8**2, 5 and 2*3*4",
            [("bold", 21, 1), ("code", 27, 5)],
        ),
        ("| a | b |\n|---|---|\n| 1 | 22 |", "a  b\n1  22", [("pre", 0, 10)]),
        ("<b>raw</b>", "<b>raw</b>", []),
        ("a<br>b<br/>`<br>`", "a\nb\n<br>", [("code", 4, 4)]),
        ("| a |\n|---|\n| 1<br>2 |", "a\n1 2", [("pre", 0, 5)]),
        ("unclosed **bold", "unclosed **bold", []),
        ("an `unclosed tick and ``two", "an `unclosed tick and ``two", []),
        ("[w](https://a.b/c_(d))", "w", [("text_link", 0, 1)]),
        ("[see](www.a.b) and [www.a.b](www.a.b)", "see (www.a.b) and www.a.b", []),
        ("| a |\n|---|\n| [docs](https://a.b) |", "a\ndocs (https://a.b)", [("pre", 0, 20)]),
        ("[Todo]: done", "[Todo]: done", []),
        ("See [1].\n\n[1]: https://a.b", "See [1].\n\n[1]: https://a.b", []),
        ("said\n\n> - a\n> - b\n\nend", "said\n\n• a\n• b\n\nend", [("blockquote", 6, 7)]),
        ("> a\n>\n> > b", "a\n\nb", [("blockquote", 0, 4)]),
        ("-\n- b", "• \n• b", []),
        ("```\n    x\n  y\n```", "    x\n  y", [("pre", 0, 9)]),
    ],
)
def test_markdown_is_shown_as_marks(source: str, text: str, marks: list[tuple[str, int, int]]) -> None:
    shown = rendered(source)
    assert shown.text == text
    assert [(mark.kind, mark.offset, mark.length) for mark in shown.marks] == marks


@given(st.text(alphabet="ab *_`#->[]()!|~\n1.🙂é", max_size=300))
def test_marks_lie_within_any_text(source: str) -> None:
    shown = rendered(source)
    for mark in shown.marks:
        assert 0 <= mark.offset < mark.offset + mark.length <= units(shown.text)


@given(st.text(alphabet="ab .\n🙂é。", max_size=400), st.integers(5, 60))
def test_parts_fit_and_lose_nothing_but_blanks(text: str, longest: int) -> None:
    parts = split_marked(Marked(text), longest)
    assert all(0 < units(part.text) <= longest for part in parts)
    assert "".join("".join(part.text for part in parts).split()) == "".join(text.split())


@given(st.text(alphabet="ab \n🙂", min_size=1, max_size=200), st.integers(8, 40), st.data())
def test_marks_go_with_their_parts(text: str, longest: int, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, units(text) - 1))
    end = data.draw(st.integers(start + 1, units(text)))
    whole = Marked(text, (Mark("bold", start, end - start),))
    marked = "".join(cut(part.text, m) for part in split_marked(whole, longest) for m in part.marks)
    # A mark can begin or end in the middle of a character that has two UTF-16 units. Such characters are not compared.
    assert "".join(marked.split()) == "".join(cut(text, whole.marks[0]).split())


def test_code_keeps_its_indentation_where_it_is_cut() -> None:
    code = "\n".join(["def f():", *["    x = 1"] * 20])
    parts = split_marked(rendered(f"```py\n{code}\n```"), 60)
    assert "\n".join(part.text for part in parts) == code
    assert all(part.marks == (Mark("pre", 0, units(part.text), language="py"),) for part in parts)


def cut(text: str, mark: Mark) -> str:
    half = text.encode("utf-16-le")[2 * mark.offset : 2 * (mark.offset + mark.length)]
    return half.decode("utf-16-le", "ignore")


def test_a_paragraph_with_thousands_of_signs_is_shown_as_written_and_the_others_as_marks() -> None:
    signs = "![*_" * (MOST_SIGNS // 3 + 1)
    shown = rendered(f"**one**\n\n{signs}\n\n**two**")
    assert shown.text == f"one\n\n{signs}\n\ntwo"
    assert [mark.kind for mark in shown.marks] == ["bold", "bold"]


def test_a_text_of_the_longest_length_stays_one_message() -> None:
    assert len(split_marked(Marked("a" * MESSAGE_UNITS))) == 1
    assert len(split_marked(Marked("🙂" * (MESSAGE_UNITS // 2)))) == 1
    assert len(split_marked(Marked("🙂" * (MESSAGE_UNITS // 2) + "a"))) == 2
