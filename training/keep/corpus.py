"""The training text: sentences as people type or dictate them, labeled by their author, with one file per author."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from tellonce_server.domain.keep.sentences import Sentence, features
from tellonce_server.embedding.onnx_session import Session

Floats = NDArray[np.float64]
Label = Literal["good", "partly", "junk", "false"]

TEXTS: Final = Path(__file__).parent / "texts"


@dataclass(frozen=True)
class Example:
    author: str
    sentence: Sentence
    label: Label
    wish: bool
    genre: str


@dataclass(frozen=True)
class Examples:
    """Labeled sentences. `inputs` has one row for each element of `rows`: the inputs of the heads for this sentence."""

    rows: tuple[Example, ...]
    inputs: Floats

    @property
    def labels(self) -> NDArray[np.str_]:
        return np.array([row.label for row in self.rows])

    @property
    def authors(self) -> list[str]:
        return sorted({row.author for row in self.rows})

    def where(self, chosen: Sequence[bool] | NDArray[np.bool_]) -> "Examples":
        rows = tuple(row for row, wanted in zip(self.rows, chosen, strict=True) if wanted)
        return Examples(rows, self.inputs[np.array(chosen, bool)])

    def by(self, author: str) -> NDArray[np.bool_]:
        return np.array([row.author == author for row in self.rows])


def read(folder: Path = TEXTS) -> list[Example]:
    """All files of the folder, in the order of their names."""
    return [
        _example(file.stem, json.loads(line))
        for file in sorted(folder.glob("*.jsonl"))
        for line in file.read_text(encoding="utf-8").splitlines()
    ]


def with_inputs(rows: Sequence[Example], session: Session) -> Examples:
    """Compute the inputs of the heads, one text at a time, as the server does."""
    inputs = []
    for row in rows:
        layers = session.layers(row.sentence.text)
        inputs.append([*layers.final, *layers.early, *features(row.sentence)])
    return Examples(tuple(rows), np.array(inputs, np.float64))


def _example(author: str, line: dict[str, str]) -> Example:
    first, last = line["position"] in ("first", "only"), line["position"] in ("last", "only")
    label: Label = line["label"]  # type: ignore[assignment]  # a test reads all files
    return Example(author, Sentence(line["text"], first, last), label, line["group"] == "wish", line["genre"])
