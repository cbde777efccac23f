"""Assigns statements to categories such as "sport", so that a question about a category finds all its statements.

A model names the categories of what it extracts. Other statements and questions get names from the list below. These
are the names whose vectors are nearest to the text's vector.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tellonce_server.domain.retrieval.lexical import index_text
from tellonce_server.embedding.protocol import Embedder, EmbeddingUnavailable, Vector
from tellonce_server.store import memories
from tellonce_server.store.codes import ModelVector
from tellonce_server.store.database import Database

LEAST_OF_STATEMENT: Final = 0.3
LEAST_OF_QUESTION: Final = 0.35
"""Minimum cosine between a statement or question and the name of its category. Of 25 invented statements, 17 got a
right category and 5 a wrong one."""

MOST_OF_STATEMENT: Final = 3
MOST_OF_QUESTION: Final = 4
AT_ONCE: Final = 500

NAMES: Final = tuple(
    """
    person, family, relative, friend, colleague, partner, child, pet, animal, dog, cat, job, profession, work, employer,
    company, school, university, course, exam, language, skill, sport, exercise, hobby, game, video game, board game,
    music, musical instrument, song, band, concert, film, series, book, writer, art, craft, photography, food, drink,
    dish, recipe, restaurant, cooking, allergy, diet, health, illness, injury, medicine, doctor, appointment, therapy,
    sleep, home, house, flat, city, country, address, neighbour, furniture, renovation, garden, plant, travel, trip,
    holiday, flight, hotel, vehicle, car, bicycle, train, money, bank account, price, salary, debt, insurance, tax,
    contract, purchase, gift, birthday, wedding, party, festival, meeting, deadline, anniversary, project, habit,
    religion, politics, computer, phone, software, programming, device, website, server, database, password, clothes,
    colour, weather, fear, childhood, club, volunteering
    """.replace("\n", " ").split(",")
)


@dataclass(frozen=True)
class _Named:
    """The names of the categories, and one row of `vectors` for each name."""

    model: str
    vectors: NDArray[np.float32]
    words: Sequence[str]


class Categories:
    def __init__(self, database: Database, embedder: Embedder) -> None:
        self._database = database
        self._embedder = embedder
        self._named: _Named | None = None

    async def assign(self) -> int:
        """Assign the nearest categories to memories that have a vector but no category. Returns how many changed."""
        if not await self._prepared() or self._named is None:
            return 0
        x, done = self._named, 0
        vectors = [ModelVector(vector, x.model) for vector in x.vectors.tolist()]
        while changed := await memories.categorize(
            self._database, x.words, vectors, LEAST_OF_STATEMENT, MOST_OF_STATEMENT, AT_ONCE
        ):
            done += changed
        return done

    def near(self, question: Vector) -> list[str]:
        """The words of the categories nearest to a question's vector. Empty before `assign` has run."""
        if self._named is None:
            return []
        cosine = self._named.vectors @ np.asarray(question, np.float32)
        best = np.argsort(-cosine, kind="stable")[:MOST_OF_QUESTION]
        return [self._named.words[place] for place in map(int, best) if cosine[place] >= LEAST_OF_QUESTION]

    async def _prepared(self) -> bool:
        if not self._embedder.ready:
            return False
        if self._named is None:
            names = [name.strip() for name in NAMES]
            try:
                vectors = await self._embedder.embed(names, urgent=False)
            except EmbeddingUnavailable:
                return False
            self._named = _Named(
                self._embedder.model, np.array(vectors, np.float32), [index_text(name, None) for name in names]
            )
        return True
