"""The summarizer agent: takes work from the memory server, asks a language model or does without, hands results back."""
