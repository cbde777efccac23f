"""Computes embeddings with onnxruntime. onnxruntime is slow to import, so this module is imported only where needed."""

from array import array
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime as ort

from tellonce_server.embedding.onnx_graph import EARLY, EMBEDDING
from tellonce_server.embedding.protocol import Layers, Vector
from tellonce_server.embedding.wordpiece import WordPiece

LONGEST = 256
"""Maximum number of tokens of a text. The model was trained on texts of up to this length."""


class Session:
    """One loaded model, usable from any thread. Padding texts to a batch would cost more time than the batch saves."""

    def __init__(self, graph: Path, tokenizer: Path) -> None:
        options = ort.SessionOptions()
        # One thread is faster than two threads while the database is busy on the same machine.
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        # Without the arena, onnxruntime frees the memory that a long text needed.
        options.enable_cpu_mem_arena = False
        self._session = ort.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])
        self._tokenizer = WordPiece(tokenizer, LONGEST)

    def vector(self, text: str) -> Vector:
        """The text's unit vector. The vector does not depend on other texts."""
        (vector,) = self._run([EMBEDDING], text)
        return vector

    def layers(self, text: str) -> Layers:
        """The unit vector and the early layer of the text, in hardly more time than one of them."""
        return Layers(*self._run([EMBEDDING, EARLY], text))

    def _run(self, outputs: list[str], text: str) -> list[Vector]:
        ids = np.array([self._tokenizer.ids(text)], np.int64)
        computed: Any = self._session.run(outputs, {"input_ids": ids, "attention_mask": np.ones_like(ids)})
        return [array("f", rows[0].tobytes()) for rows in computed]
