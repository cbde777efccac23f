"""The summarizer agent: takes work from the memory server, asks a model or does without, hands results in."""
