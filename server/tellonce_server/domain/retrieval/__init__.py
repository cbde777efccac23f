"""Search: candidates from SQL, ranked in Python with a few documented weights."""
