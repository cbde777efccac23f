"""Which embedder the settings mean."""

from chatmem.settings import ServerSettings
from chatmem_server.embedding.protocol import Embedder, NoEmbedder


def choose_embedder(settings: ServerSettings) -> Embedder:
    return NoEmbedder()
