"""Turns texts into vectors with a local or an Ollama model. Without a model, search uses words alone."""
