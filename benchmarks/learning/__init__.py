"""What the memory comes to believe: of talks without a model, of a model's right and false statements, of life changes."""
