"""Assembles the text that a model is shown of the memory, within a token budget."""
