"""Measures how the memory learns: from conversations without a model, from right and false statements of a model, and
from changes in the user's life."""
