"""Turns statements into memories: reads, checks against the source, compares with known ones, and stores."""
