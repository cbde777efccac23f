"""The write-ahead queue: which jobs are due, what a worker gets, and how results are applied."""
