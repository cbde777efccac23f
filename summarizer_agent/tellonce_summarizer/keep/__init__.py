"""Summaries and notes without a language model: the user's own sentences, verbatim, without restating or ending
anything."""
