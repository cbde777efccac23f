"""Vectors in the database's format, each with its embedding model, and sign codes of vectors. Pure functions."""

from collections.abc import Sequence
from itertools import starmap
from operator import gt
from typing import Final

from asyncpg import BitString
from pgvector import HalfVector


class ModelVector(HalfVector):
    """A half-precision vector and the model that made it. The database accepts only vectors of its active model."""

    def __init__(self, vector: Sequence[float], model: str) -> None:
        super().__init__(list(vector))
        self.model = model


def code(vector: Sequence[float], mean: Sequence[float]) -> BitString:
    """The sign code: one bit per dimension, 1 where the vector is above the mean of the model's vectors."""
    above = bytes(starmap(gt, zip(vector, mean, strict=True)))
    return BitString.from_int(int(above.translate(_DIGITS), 2), length=len(vector))


_DIGITS: Final = bytes.maketrans(b"\0\1", b"01")
