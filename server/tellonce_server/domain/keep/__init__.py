"""Learns without a language model, by selecting some of the user's own sentences to keep."""
