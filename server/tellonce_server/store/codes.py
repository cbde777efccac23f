"""Vectors as the database keeps them, with the model that made them, and their mean-centred sign codes; pure."""

from collections.abc import Sequence

from asyncpg import BitString
from pgvector import HalfVector


class ModelVector(HalfVector):
    """A vector in half precision, and who made it: a database takes those of its active model only."""

    def __init__(self, vector: Sequence[float], model: str) -> None:
        super().__init__(list(vector))
        self.model = model


def code(vector: Sequence[float], mean: Sequence[float]) -> BitString:
    """One bit a dimension: whether the vector lies above the model's mean there."""
    bits = int("".join("1" if x > m else "0" for x, m in zip(vector, mean, strict=True)), 2)
    return BitString.from_int(bits, length=len(vector))
