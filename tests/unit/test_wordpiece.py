"""Our tokenizer returns the same tokens as the library `tokenizers`, so that stored vectors stay comparable."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer
from tokenizers.models import WordPiece as Reference
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.processors import TemplateProcessing

from tellonce_server.embedding.wordpiece import WordPiece

LONGEST = 12
PIECES = [
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "a",
    "ab",
    "##c",
    "##ab",
    "é",
    "e",
    "ß",
    "1",
    "##1",
    "東",
    "!",
    "$",
    "’",
    "σ",
    "##σ",
    "i",
]
VOCABULARY = {piece: number for number, piece in enumerate(PIECES)}
TEXTS = st.text(st.sampled_from("abcABCéÉßΣςİi1 \t\n\r\u00a0\u200d\u0301\u2028\x00\x85\ufffd東!$’_<-😀"), max_size=30)


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[Tokenizer, WordPiece]:
    reference = Tokenizer(Reference(VOCABULARY, unk_token="[UNK]", max_input_chars_per_word=100))
    reference.normalizer = BertNormalizer()
    reference.pre_tokenizer = BertPreTokenizer()
    marks = [(mark, VOCABULARY[mark]) for mark in ("[CLS]", "[SEP]")]
    reference.post_processor = TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=marks)
    reference.enable_truncation(LONGEST)
    file = tmp_path_factory.mktemp("model") / "tokenizer.json"
    reference.save(str(file))
    return reference, WordPiece(file, LONGEST)


@given(text=TEXTS)
def test_any_text_gets_the_same_tokens(both: tuple[Tokenizer, WordPiece], text: str) -> None:
    reference, ours = both
    assert ours.ids(text) == reference.encode(text).ids


def test_a_long_word_is_unknown_and_a_long_text_is_cut(both: tuple[Tokenizer, WordPiece]) -> None:
    reference, ours = both
    for text in ("a" + "c" * 99, "a" + "c" * 100, "a " * 40, ""):
        assert ours.ids(text) == reference.encode(text).ids


def test_another_kind_of_tokenizer_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "tokenizer.json"
    file.write_text(json.dumps({"model": {"type": "BPE", "vocab": {}}}))
    with pytest.raises(ValueError, match="not a WordPiece"):
        WordPiece(file, LONGEST)
