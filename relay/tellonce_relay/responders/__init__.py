"""Responders: a language model, or the memory alone."""
