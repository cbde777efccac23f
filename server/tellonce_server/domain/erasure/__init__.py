"""Forgets a text everywhere, and handles changes of a text."""
