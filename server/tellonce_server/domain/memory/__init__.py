"""How a statement becomes a memory: read, checked against its source, compared with what is known, kept."""
