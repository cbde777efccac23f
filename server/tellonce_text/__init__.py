"""Language functions of all processes: dates, sentences, tokens. Pure: no clock and no I/O."""
