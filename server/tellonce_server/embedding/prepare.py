"""Prepares the local model's files: the int8 graph, the tokenizer and the mean vector.

Run as `python -m tellonce_server.embedding.prepare SOURCE TARGET`. SOURCE holds the model's own files.
"""

import hashlib
import json
import shutil
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from tellonce_server.embedding.model_files import GRAPH, MEAN, TOKENIZER
from tellonce_server.embedding.onnx_graph import build
from tellonce_server.embedding.onnx_session import Session, mean_of

_FRAMES = (
    "I need to talk about {0} before {1}.",
    "Could you tell me more about {0}? I was thinking of {1}.",
    "Yesterday we looked at {0}, and {1} came up again.",
    "{0} is more expensive than {1}, as far as I know.",
    "My sister asked whether {0} goes well with {1}.",
    "Here is a summary of {0}: it depends mostly on {1}.",
)
_TOPICS = (
    "the garden",
    "our flight to Oslo",
    "the database migration",
    "a birthday dinner",
    "my blood test",
    "the guitar lesson",
    "tax papers",
    "the new puppy",
    "a football match",
    "kitchen tiles",
    "the deployment",
    "his job interview",
)


def sentences() -> Iterator[str]:
    """Every sentence pattern filled with every pair of different topics."""
    for frame, first, second in product(_FRAMES, _TOPICS, _TOPICS):
        if first != second:
            yield frame.format(first, second)


GRAPH_SHA256 = "0c73a981d43413b71c40c81c3d7d5eee3f8178bd3ce495694fc05aa10ed93f0a"
"""The hash of the graph built from all-MiniLM-L6-v2. The same weights give the same bytes on every machine."""


def prepare(source: Path, target: Path) -> None:
    target.mkdir(parents=True)
    shutil.copy(source / TOKENIZER, target / TOKENIZER)
    written = build(source)
    if hashlib.sha256(written).hexdigest() != GRAPH_SHA256:
        sys.exit("the graph that was written is not the expected one; please report the machine and its numpy version")
    (target / GRAPH).write_bytes(written)
    session = Session(target / GRAPH, target / TOKENIZER)
    (target / MEAN).write_text(json.dumps(mean_of(session.embed(list(sentences())))))


if __name__ == "__main__":
    prepare(Path(sys.argv[1]), Path(sys.argv[2]))
