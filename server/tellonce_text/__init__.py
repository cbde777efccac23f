"""Language functions shared by all processes: dates, sentences, tokens. Pure; without clock, I/O or other packages."""
