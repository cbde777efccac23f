"""Which embedder the settings mean; the Ollama client is imported only when it is the one."""

import importlib

from chatmem.settings import ServerSettings
from chatmem_server.embedding.local import LocalEmbedder
from chatmem_server.embedding.model_files import MODEL
from chatmem_server.embedding.protocol import Embedder, NoEmbedder


def choose_embedder(settings: ServerSettings) -> Embedder:
    match settings.embeddings:
        case "local":
            return LocalEmbedder(settings.data_dir / "models" / MODEL, settings.embedding_model_dir)
        case "ollama":
            module = importlib.import_module("chatmem_server.embedding.ollama")
            embedder: Embedder = module.OllamaEmbedder(settings.ollama_url, settings.ollama_embedding_model)
            return embedder
        case _:
            return NoEmbedder()
