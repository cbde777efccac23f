"""Language models behind one protocol. Only the modules `claude` and `ollama` import a provider's SDK."""
