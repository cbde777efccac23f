"""Finds time expressions in a text and the days that the expressions mean. Contains the grammar, the resolver, and
functions that use both."""
