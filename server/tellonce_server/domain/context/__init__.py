"""What a model is shown of the memory: pure assembly within a token budget, and the service that reads for it."""
