"""Turns statements into memories. A statement is read, checked against its source, compared with known memories, and
stored."""
