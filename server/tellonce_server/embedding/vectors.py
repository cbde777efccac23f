"""A text's vector in the form PostgreSQL takes, or none where nobody can embed now."""

from pgvector import HalfVector

from tellonce_server.embedding.protocol import Embedder, EmbeddingUnavailable
from tellonce_server.store.codes import ModelVector


async def vector_or_none(embedder: Embedder, text: str) -> HalfVector | None:
    """The vector as the database takes it; None lets the caller go on by words alone."""
    try:
        model, vectors = embedder.model, await embedder.embed([text], urgent=True)
    except EmbeddingUnavailable:
        return None
    return ModelVector(vectors[0], model)
