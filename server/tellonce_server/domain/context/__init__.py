"""What a model is shown of a memory: pure assembly within a budget, and the thin actor that reads for it."""
