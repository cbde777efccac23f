"""Finds time expressions in a text and the days they mean: grammar, resolver, and functions that use them."""
