"""If a variant of an argument is unambiguous, it is converted to the contract's form. Ambiguous variants are not
converted, so validation refuses them."""

from typing import Any

import pytest
from pydantic import BaseModel

from tellonce_server.api.coercion import coerced


class Inner(BaseModel):
    number: int = 0


class Args(BaseModel):
    number: int = 0
    share: float = 0
    flag: bool = False
    words: tuple[str, ...] | None = None
    numbers: list[int] = []
    inner: Inner | None = None
    either: int | str = 0
    text: str = ""


SCHEMA = Args.model_json_schema()


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ({"number": "5"}, {"number": 5}),
        ({"number": 5.0}, {"number": 5}),
        ({"number": "-7"}, {"number": -7}),
        ({"number": None, "text": None}, {}),
        ({"share": "0.5"}, {"share": 0.5}),
        ({"flag": "True"}, {"flag": True}),
        ({"words": "one"}, {"words": ["one"]}),
        ({"words": '["one", "two"]'}, {"words": ["one", "two"]}),
        ({"numbers": ["1", 2.0]}, {"numbers": [1, 2]}),
        ({"inner": {"number": "3"}}, {"inner": {"number": 3}}),
    ],
)
def test_a_harmless_form_is_taken(given: dict[str, Any], taken: dict[str, Any]) -> None:
    assert coerced(given, SCHEMA) == taken


@pytest.mark.parametrize(
    "given",
    [
        {"number": 1.5},
        {"number": True},
        {"number": "five"},
        {"number": "1e3"},
        {"number": "٥x"},
        {"share": "nan"},
        {"flag": "maybe"},
        {"flag": 1},
        {"either": "5"},
        {"text": 5},
        {"unknown": "5"},
        {"inner": "text"},
    ],
)
def test_a_form_that_means_something_else_is_left_alone(given: dict[str, Any]) -> None:
    assert coerced(given, SCHEMA) == given
