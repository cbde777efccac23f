"""Finding what a question needs: candidates in SQL, ranked in Python by a few documented weights."""
