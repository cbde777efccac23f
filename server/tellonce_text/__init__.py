"""Language functions that all processes share: dates, sentences, tokens. All functions are pure: they use no clock and
no I/O."""
