"""Selects the embedder by the settings or by a model's name. The Ollama client is imported only if needed."""

import importlib

from tellonce.settings import ServerSettings
from tellonce_server.embedding.local import LocalEmbedder
from tellonce_server.embedding.model_files import MODEL
from tellonce_server.embedding.protocol import Embedder, NoEmbedder

OLLAMA = "ollama:"


def choose_embedder(settings: ServerSettings) -> Embedder:
    """The configured embedder."""
    match settings.embeddings:
        case "local":
            return embedder_named(MODEL, settings)
        case "ollama":
            return embedder_named(OLLAMA + settings.ollama_embedding_model, settings)
        case _:
            return NoEmbedder()


def embedder_named(model: str, settings: ServerSettings) -> Embedder:
    """The embedder of the model with this name. For an unknown name, an embedder that is never ready."""
    if model == MODEL:
        return LocalEmbedder(settings.data_dir / "models" / MODEL, settings.embedding_model_dir)
    if model.startswith(OLLAMA):
        module = importlib.import_module("tellonce_server.embedding.ollama")
        embedder: Embedder = module.OllamaEmbedder(settings.ollama_url, model.removeprefix(OLLAMA))
        return embedder
    return NoEmbedder()
