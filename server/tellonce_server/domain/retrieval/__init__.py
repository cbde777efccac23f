"""Searches the memory: reads candidates with SQL and ranks them in Python with a few documented weights."""
