"""Turns texts into vectors: local or Ollama models, storage of vectors, and search without them."""
