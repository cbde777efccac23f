"""Prepares the local model's files: the int8 graph and the tokenizer.

Run as `python -m tellonce_server.embedding.prepare SOURCE TARGET`. SOURCE contains the model's own files.
"""

import hashlib
import shutil
import sys
from pathlib import Path

from tellonce_server.embedding.model_files import GRAPH, TOKENIZER
from tellonce_server.embedding.onnx_graph import build

GRAPH_SHA256 = "0c73a981d43413b71c40c81c3d7d5eee3f8178bd3ce495694fc05aa10ed93f0a"
"""The hash of the graph built from all-MiniLM-L6-v2. The same weights give the same bytes on every machine."""


def prepare(source: Path, target: Path) -> None:
    target.mkdir(parents=True)
    shutil.copy(source / TOKENIZER, target / TOKENIZER)
    written = build(source)
    if hashlib.sha256(written).hexdigest() != GRAPH_SHA256:
        sys.exit("the graph that was written is not the expected one; please report the machine and its numpy version")
    (target / GRAPH).write_bytes(written)


if __name__ == "__main__":
    prepare(Path(sys.argv[1]), Path(sys.argv[2]))
