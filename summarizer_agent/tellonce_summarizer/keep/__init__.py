"""Summaries and notes without a language model. Both consist of the user's own sentences, verbatim, and end no other
statement."""
