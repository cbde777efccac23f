"""Learning without a language model: selects which of the user's own sentences to keep."""
