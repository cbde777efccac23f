"""Summaries and notes without a model: the user's own sentences, verbatim, which end no statement."""
