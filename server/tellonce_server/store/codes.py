"""Vectors in the database's form with the model that made them, and their mean-centered sign codes. Pure."""

from collections.abc import Sequence

from asyncpg import BitString
from pgvector import HalfVector


class ModelVector(HalfVector):
    """A half-precision vector and its model. A database accepts only vectors of its active model."""

    def __init__(self, vector: Sequence[float], model: str) -> None:
        super().__init__(list(vector))
        self.model = model


def code(vector: Sequence[float], mean: Sequence[float]) -> BitString:
    """One bit per dimension: whether the vector is above the model's mean."""
    bits = int("".join("1" if x > m else "0" for x, m in zip(vector, mean, strict=True)), 2)
    return BitString.from_int(bits, length=len(vector))
