"""Language functions that all processes share: dates, sentences, tokens. They are pure: no clock and no I/O."""
