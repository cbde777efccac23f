"""The write-ahead queue: selects due jobs, reads their inputs for workers, and applies the results."""
