"""Turns statements into memories. Each statement is read, checked against its sources, compared with known memories,
and stored."""
