"""Reads a model's weights from a safetensors file and rounds them to eight bits. Knows no graph."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TypedDict

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

_TYPES = {"F32": "<f4", "F16": "<f2", "I64": "<i8"}


def read_weights(file: Path) -> Mapping[str, Floats]:
    """Every tensor as float32. The file is a length, a JSON header of that length, and the tensors' bytes."""
    data = file.read_bytes()
    begin = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:begin])
    header.pop("__metadata__", None)
    return {name: _tensor(memoryview(data)[begin:], entry) for name, entry in header.items()}


class _Entry(TypedDict):
    """A tensor's entry in the header; offsets count from the header's end."""

    dtype: str
    shape: list[int]
    data_offsets: tuple[int, int]


def _tensor(data: memoryview, entry: _Entry) -> Floats:
    start, end = entry["data_offsets"]
    values = np.frombuffer(data[start:end], _TYPES[entry["dtype"]])
    return values.reshape(entry["shape"]).astype(np.float32)


def by_column(weight: Floats) -> tuple[npt.NDArray[np.int8], Floats]:
    """The matrix rounded to signed bytes, with one factor per column; zero stays zero."""
    largest = np.abs(weight).max(axis=0).astype(np.float64)
    scale = (2 * largest / 254).astype(np.float32)
    return np.clip((weight / scale).round(), -128, 127).astype(np.int8), scale


def whole(weight: Floats) -> tuple[npt.NDArray[np.uint8], Floats, npt.NDArray[np.uint8]]:
    """The matrix rounded to unsigned bytes, with one factor for all of them and the byte that represents zero."""
    lowest, highest = np.float64(min(weight.min(), 0)), np.float64(max(weight.max(), 0))
    exact = (highest - lowest) / 255
    zero, scale = np.round(-lowest / exact), np.float32(exact)
    rounded = np.clip((weight / scale).round() + zero, 0, 255).astype(np.uint8)
    return rounded, np.array(scale, np.float32), np.array(zero, np.uint8)
