"""How a statement becomes a memory: it is read, checked against its source, compared with what is known, and stored."""
