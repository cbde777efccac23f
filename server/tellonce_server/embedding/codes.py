"""Vectors in pgvector's binary halfvec form, and their mean-centred sign codes; pure."""

import struct
from collections.abc import Sequence

from asyncpg import BitString


class Halfvec(bytes):
    """A vector in pgvector's wire form, and who made it: a database takes those of its active model only."""

    model: str


def halfvec(vector: Sequence[float], model: str) -> Halfvec:
    """Dimensions and zero as uint16, then big-endian float16 values."""
    packed = Halfvec(struct.pack(f">HH{len(vector)}e", len(vector), 0, *vector))
    packed.model = model
    return packed


def code(vector: Sequence[float], mean: Sequence[float]) -> BitString:
    """One bit a dimension: whether the vector lies above the model's mean there."""
    bits = int("".join("1" if x > m else "0" for x, m in zip(vector, mean, strict=True)), 2)
    return BitString.from_int(bits, length=len(vector))
