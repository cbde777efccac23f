"""The write-ahead queue: what is due, what a worker is given, and how its results are applied."""
