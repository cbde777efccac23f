"""Computing embeddings with onnxruntime; imported only where and when they are computed, for the import is heavy."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime as ort
from tokenizers import Tokenizer

LONGEST = 256
"""Tokens of a text that count: the model was trained on so many."""


class Session:
    """One loaded model; for one thread. `threads`: beside a busy database one is faster than two."""

    def __init__(self, graph: Path, tokenizer: Path, threads: int = 1) -> None:
        options = ort.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        # Without the arena memory is given back after a large batch.
        options.enable_cpu_mem_arena = False
        self._session = ort.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.enable_truncation(LONGEST)
        self._tokenizer.enable_padding()

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One unit vector a text."""
        encoded = self._tokenizer.encode_batch([text or " " for text in texts])
        inputs: dict[str, Any] = {
            "input_ids": np.array([e.ids for e in encoded], np.int64),
            "attention_mask": np.array([e.attention_mask for e in encoded], np.int64),
        }
        vectors: Any = self._session.run(["embedding"], inputs)[0]
        found: list[list[float]] = vectors.tolist()
        return found


def mean_of(vectors: Sequence[Sequence[float]]) -> list[float]:
    mean: list[float] = np.array(vectors).mean(axis=0).tolist()
    return mean
