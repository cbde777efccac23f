"""Measures learning from conversations without a model, from a model's right and false statements, and from changes in
the user's life."""
