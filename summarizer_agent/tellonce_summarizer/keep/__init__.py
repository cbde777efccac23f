"""Summaries and notes without a model: the user's own sentences, verbatim. They never mark a statement as ended."""
