"""Text to vectors: who computes them, how they are stored, and working without them."""
