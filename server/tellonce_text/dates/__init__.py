"""Finds time expressions in a text and the days that the expressions mean: grammar, resolver, and functions that use
both."""
