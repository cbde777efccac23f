"""Time expressions in a text and the days they mean: the grammar, the resolver, and their applications."""
