"""A text's vector in PostgreSQL's form, or None if no embedder is available."""

from pgvector import HalfVector

from tellonce_server.embedding.protocol import Embedder, EmbeddingUnavailable
from tellonce_server.store.codes import ModelVector


async def vector_or_none(embedder: Embedder, text: str) -> HalfVector | None:
    """The vector in PostgreSQL's form, or None if no embedder is available; the caller then uses words alone."""
    try:
        model, vectors = embedder.model, await embedder.embed([text], urgent=True)
    except EmbeddingUnavailable:
        return None
    return ModelVector(vectors[0], model)
