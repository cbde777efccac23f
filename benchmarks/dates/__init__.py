"""How well the dates in sentences are resolved, scored on tables written by others than the grammar's authors."""
