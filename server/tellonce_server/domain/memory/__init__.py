"""Turns statements into memories: reads the statements, checks them against their sources, compares them with known
memories, and stores them."""
