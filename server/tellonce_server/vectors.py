"""A text's vector in the form PostgreSQL takes, or none where nobody can embed now."""

from tellonce_server.embedding.codes import halfvec
from tellonce_server.embedding.protocol import Embedder, EmbeddingUnavailable


async def halfvec_or_none(embedder: Embedder, text: str) -> bytes | None:
    """The vector as pgvector's binary halfvec; None lets the caller go on by words alone."""
    try:
        model, vectors = embedder.model, await embedder.embed([text], urgent=True)
    except EmbeddingUnavailable:
        return None
    return halfvec(vectors[0], model)
