"""Summaries and notes without a model: the user's own sentences, verbatim. This package never marks an earlier
statement as outdated."""
