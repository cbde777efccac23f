"""How something is forgotten everywhere, and what follows when a text changes."""
