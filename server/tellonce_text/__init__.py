"""Pure knowledge of language that every process shares: dates, sentences, tokens. No clock, no I/O, no other package."""
