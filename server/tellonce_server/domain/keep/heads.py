"""The trained classifiers (heads): linear functions of a sentence's features and of two layers of the embedding model.

`python -m training.keep` writes the weights. They include the standardization of the inputs.
"""

import json
import struct
from base64 import b85decode, b85encode
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from operator import mul
from typing import Any, Final

from tellonce_server.embedding.protocol import Layers

FILE: Final = "weights.json"
_STEPS: Final = 2**15 - 1


@dataclass(frozen=True)
class Head:
    """Log-odds = `bias` + `weights` · (final layer, early layer, features)."""

    weights: Sequence[float]
    bias: float

    def __call__(self, layers: Layers, features: Sequence[float]) -> float:
        inputs = (*layers.final, *layers.early, *features)
        return self.bias + sum(map(mul, self.weights, inputs), 0.0)


@dataclass(frozen=True)
class Heads:
    """`keep`: worth keeping. `wish`: a preference or wish, not a fact or event. `dangling`: cannot be understood alone."""

    keep: Head
    wish: Head
    dangling: Head


@cache
def heads() -> Heads:
    return read(files("tellonce_server.domain.keep").joinpath(FILE).read_text())


def read(text: str) -> Heads:
    return Heads(**{name: _unpacked(head) for name, head in json.loads(text).items()})


def written(heads: Heads) -> str:
    """The heads as JSON, with 16 bits per weight."""
    return json.dumps({name: _packed(head) for name, head in vars(heads).items()}, indent=1) + "\n"


def _packed(head: Head) -> dict[str, Any]:
    step = max(map(abs, head.weights)) / _STEPS
    steps = [round(weight / step) for weight in head.weights]
    return {
        "bias": round(head.bias, 6),
        "step": step,
        "steps": b85encode(struct.pack(f"<{len(steps)}h", *steps)).decode(),
    }


def _unpacked(head: dict[str, Any]) -> Head:
    steps = b85decode(head["steps"])
    return Head([head["step"] * step for (step,) in struct.iter_unpack("<h", steps)], head["bias"])
