"""A part that is copied out of a text is found at its exact place in the text. This also works if the part has other
capitals or another Unicode form."""

import itertools
import re
import time
import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tellonce_relay.telegram.markdown import rendered
from tellonce_text.folding import fold
from tellonce_text.literal import MOST_FLEXIBLE, UNREAD, Literal
from tests.depth import depth

POOLS = (
    "abcXYZ 0123456789 .,;:!?'\"-_/()@#",
    "ab1 *_~`>#|-:",
    "äöüßÄÖÜẞéèñçøłđðþæœŒıİşğ",
    "привет Ёё Її Щщ ь",
    "ελληνικά Σσς ΐ",
    "שלום עִבְרִית",
    "مَرْحَبًا بِكَ ٠١٢٣٤٥ ۰۱۲۳",
    "नमस्ते हिन्दी ०१२३४",
    "สวัสดี ก็ำ ๐๑๒",
    "가각힣 한국어 각",
    "がぎぐパピ ｶﾞｷﾞ カタカナ",
    "中文漢字東京 　，。",
    "ｆｕｌｌ　ｗｉｄｔｈ１２３－＇",
    "ﬁﬂﬀ ½ ² ① ™ Ⅷ ㎏",
    "👩‍👩‍👧‍👦 🇩🇪 ✌🏽 🎉",
    "\u200b\u200c\u200d\ufeff\u00ad\u2060a b",
    "\t\n\r\x0b\x0c\x1c\x85\u2028\u00a0\u3000x1",
    "a\u0308\u0323o\u0315\u0300\u0301e",
    "ქართული Ⴀⴀ",
    "Հայերեն և ﬓ",
    "𝒜𝓫𝟙𝟚 𐐀𐐨 𞤀",
)
TEXTS = st.one_of(
    *(st.text(pool, min_size=1, max_size=40) for pool in POOLS),
    st.text(st.sampled_from("".join(POOLS)), min_size=1, max_size=60),
    st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=30),
)
FORMS = {
    "as it is": str,
    "NFC": lambda s: unicodedata.normalize("NFC", s),
    "NFD": lambda s: unicodedata.normalize("NFD", s),
    "NFKC": lambda s: unicodedata.normalize("NFKC", s),
    "upper": str.upper,
    "lower": str.lower,
    "casefold": str.casefold,
    "zero width": "\u200b".join,
}


@given(TEXTS, TEXTS)
def test_folding_two_texts_is_folding_them_together(one: str, other: str) -> None:
    assert fold(one + other) == fold(one) + fold(other)


@settings(max_examples=depth(500, 1_500))
@given(TEXTS, st.data())
def test_any_part_of_a_text_is_found_in_it_in_whatever_form(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    for name, form in FORMS.items():
        literal = Literal.of(form(text[start:end]))
        if literal is not None:
            assert literal.spans(text), name
            assert literal.spans(text), name


@settings(max_examples=depth(200, 500))
@given(TEXTS, st.data())
def test_a_span_is_the_literal_and_cutting_all_of_them_leaves_none_there(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    literal = Literal.of(text[start:])
    if literal is not None:
        spans = literal.spans(text)
        assert [s for s in spans if not literal.spans(text[s.start : s.end])] == []
        assert all(one.end <= other.start for one, other in itertools.pairwise(spans))


@settings(max_examples=depth(200, 500))
@given(st.text("aAbB12 -.,'`_*>/()@\t\n", min_size=1, max_size=30), st.data())
def test_an_ascii_text_with_the_literal_matches_one_of_its_patterns(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    literal = Literal.of(text[start : start + data.draw(st.integers(1, 10))])
    if literal is not None:
        assert read_by_sql(text, literal)


def read_by_sql(text: str, literal: Literal) -> bool:
    """Whether the SQL function `may_say` is true for the text."""
    read = text.lower().translate(dict.fromkeys(map(ord, UNREAD)))
    likes = (re.escape(like).replace("%", ".*") for like in literal.likes)
    return not text.isascii() or any(re.fullmatch(like, read, re.DOTALL) for like in likes)


@pytest.mark.parametrize(
    ("said", "text", "hit"),
    [
        ("zed@foobarx.com", "My mail is ZED@foobarx.com!", "ZED@foobarx.com"),
        ("report_q3_final.pdf", "See report_q3_final.pdf", "report_q3_final.pdf"),
        ("dr. vuxley", "I saw Dr.  Vuxley", "Dr.  Vuxley"),
        ("Jean-Luc", "with Jean Luc", "Jean Luc"),
        ("Jean Luc", "with JeanLuc", "JeanLuc"),
        ("COVID-19", "covid 19 it was", "covid 19"),
        ("izmirlioglu", "Bay İzmirlioğlu", "İzmirlioğlu"),
        ("İZMİR", "izmir", "izmir"),
        ("schon", "Scho\u0308n!", "Scho\u0308n"),
        ("東京", "私は東京に", "東京"),
        ("नमस्ते", "नमस्ते जी", "नमस्ते"),
        ("abc123", "ＡＢＣ１２３", "ＡＢＣ１２３"),
        ("73500", "cost 73,500 EUR", "73,500"),
        ("DE89370400440532013000", "IBAN DE89 3704 0044 0532 0130 00", "DE89 3704 0044 0532 0130 00"),
        ("strasse", "Straße", "Straße"),
        ("ΟΔΥΣΣΕΥΣ", "οδυσσευς", "οδυσσευς"),
        ("مرحبا", "مَرْحَبًا", "مَرْحَبًا"),
        ("Ann Okafor", "with **Ann** *Okafor*", "Ann** *Okafor"),
        ("Ann: a nurse", "- **Ann**: a `nurse`", "Ann**: a `nurse"),
        ("Ann: a nurse", "- **Ann:** a nurse", "Ann:** a nurse"),
        ("Ann (the nurse)", "Ann (*the nurse*)", "Ann (*the nurse*)"),
        ("alpha bravo", "> alpha\n> bravo", "alpha\n> bravo"),
        ("alpha bravo", "| alpha | bravo |", "alpha | bravo"),
        ("cost $500", "cost **$**500", "cost **$**500"),
        ("👩‍🚀", "my 👩🏽‍🚀", "👩🏽‍🚀"),
        ("Sarah", "my **Sar**ah!", "Sar**ah"),
        ("Sarah", "my [Sa](http://x.de/(a)_b)rah", "Sa](http://x.de/(a)_b)rah"),
        ("Sarahs", "the `Sarah`s of", "Sarah`s"),
        ("Sarah", "my Sa\u00adrah", "Sa\u00adrah"),
        ("Müller", "Frau M&uuml;ller", "M&uuml;ller"),
        ("run it: import x", "run it:\n```python\nimport x\n```", "run it:\n```python\nimport x"),
        ("a b c d", "| a | b |\n|---|:-:|\n| c | d |", "a | b |\n|---|:-:|\n| c | d"),
        ("2*3*4 is", "2\\*3\\*4 is", "2\\*3\\*4 is"),
        ("C# code", "my C# code", "C# code"),
        ("• one\n• two", "- one\n- two", "one\n- two"),
        ("logo (http://x/y)", "![logo](http://x/y)", "logo](http://x/y)"),
    ],
)
def test_what_people_write_is_found_where_it_stands(said: str, text: str, hit: str) -> None:
    literal = Literal.of(said)
    assert literal is not None
    assert [text[s.start : s.end] for s in literal.spans(text)] == [hit]


MARKS = (
    "**{}**",
    "*{}*",
    "~~{}~~",
    "`{}`",
    "[{}](https://x.org/p_(1)?q=a)",
    "[{}](docs/x.md)",
    "![{}](http://x/i)",
    "\\*{}",
    "{}&amp;",
)
BLOCKS = (
    "{}",
    "## {}",
    "{}\n====",
    "- {}\n* {}",
    "> {}\n> {}",
    "```python\n{}\n```",
    "~~~\n{}\n~~~",
    "| a | b |\n|---|:-:|\n| c | d |",
)
NAMES = "Sarah Jean-Luc 73,500 гулять Straße 東京 report_q3.pdf it's C# Müller zed@x.com नमस्ते مَرْحَبًا".split()


@st.composite
def marked_words(draw: st.DrawFn) -> str:
    """A word, or a word with marks around a part of it."""
    word = draw(st.sampled_from(NAMES))
    start = draw(st.integers(0, len(word) - 1))
    end = draw(st.integers(start + 1, len(word)))
    mark = draw(st.sampled_from(("{}", *MARKS)))
    return word[:start] + mark.format(word[start:end]) + word[end:]


@st.composite
def markdown(draw: st.DrawFn) -> str:
    blocks = draw(st.lists(st.sampled_from(BLOCKS), min_size=1, max_size=4))
    lines = st.lists(marked_words(), min_size=1, max_size=6).map(" ".join)
    return "\n\n".join(block.format(*(draw(lines) for _ in range(block.count("{}")))) for block in blocks)


@settings(max_examples=depth(300, 3_000))
@given(markdown(), st.data())
def test_any_part_of_a_text_as_it_is_shown_is_found_in_the_text_as_it_is_stored(
    source: str, data: st.DataObject
) -> None:
    shown = rendered(source).text
    start = data.draw(st.integers(0, len(shown) - 1))
    part = shown[start : data.draw(st.integers(start + 1, len(shown)))]
    literal = Literal.of(part)
    if literal is not None and any(c.isalnum() for c in part):
        assert literal.spans(source)
        assert read_by_sql(source, literal)


def test_a_short_number_with_separated_digits_differs_from_the_number() -> None:
    for said, text, certainty in (
        ("123", "1, 2, 3", "number"),
        ("123", "no. 123", "exact"),
        ("73500", "73,500", "exact"),
        ("Sarah", "my Sa-rah", "form"),
        ("snakecase", "a snake_case", "form"),
        ("its", "it's", None),
        ("C# code", "C code", None),
    ):
        literal = Literal.of(said)
        assert literal is not None
        assert [span.certainty for span in literal.spans(text)] == ([certainty] if certainty else []), said


@pytest.mark.parametrize("said", ["", " \t", "\u200b\u200d", "\u0301"])
def test_what_folds_to_nothing_is_no_literal(said: str) -> None:
    assert Literal.of(said) is None


@given(st.text("ab1 -", min_size=MOST_FLEXIBLE + 5, max_size=400))
@example("1" * 400)
def test_a_long_literal_is_found_as_it_is(text: str) -> None:
    literal = Literal.of(text[:-1])
    assert literal is None or literal.spans(text)


@pytest.mark.parametrize(
    "unit",
    [
        " ",
        "\t",
        "[",
        "1",
        "1 ",
        "-",
        "a\u0315\u0300",
        "\ufdfa",
        "ä",
        "1-",
        "aaaaaaaaaaaaaaab",
        "\n",
        "*",
        "a*",
        "_z",
        "#",
        "# ",
        "[a](",
        "](a)",
        "[a](b(",
        "&a;",
        "|\n",
        "a-",
        "\\",
    ],
)
def test_folding_and_finding_take_time_linear_in_the_text(unit: str) -> None:
    text = unit * (64 * 1024 // len(unit.encode()))
    literals = [
        Literal.of(said)
        for said in (
            f"{unit * 4}z",
            f"{unit * 50}9",
            "1" * 60 + "2",
            "zed@foobarx.com",
            "* a *b",
            "a_b: c",
            "# a",
            "aaaaaz",
            "x" * 200,
            "a|#>b",
        )
    ]
    began = time.thread_time()
    plain = sum(ord(c) for c in fold(text))
    scan = time.thread_time() - began
    for literal in literals:
        if literal is not None:
            began = time.thread_time()
            literal.spans(text)
            assert time.thread_time() - began < 100 * scan + 0.2, plain
