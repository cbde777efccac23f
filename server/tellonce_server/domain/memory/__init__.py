"""How a statement becomes a memory: it is read, checked against its source, compared with known memories, and
stored."""
