"""Without a language model the user's own words are the memory: which of their sentences are worth keeping."""
