"""Substitutes for external services on loopback, for tests and manual experiments."""
