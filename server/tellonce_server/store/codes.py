"""Vectors in the database's format, each with its embedding model, and sign codes of vectors. Pure functions."""

from collections.abc import Sequence

from asyncpg import BitString
from pgvector import HalfVector


class ModelVector(HalfVector):
    """A half-precision vector and the model that made it. The database accepts only vectors of its active model."""

    def __init__(self, vector: Sequence[float], model: str) -> None:
        super().__init__(list(vector))
        self.model = model


def code(vector: Sequence[float], mean: Sequence[float]) -> BitString:
    """The sign code: one bit per dimension, 1 where the vector's value is above the mean value of the model's
    vectors."""
    bits = int("".join("1" if x > m else "0" for x, m in zip(vector, mean, strict=True)), 2)
    return BitString.from_int(bits, length=len(vector))
