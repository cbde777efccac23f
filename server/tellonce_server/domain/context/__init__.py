"""Assembles the memory text that a model receives, within a token budget."""
