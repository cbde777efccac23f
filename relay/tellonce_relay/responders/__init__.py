"""Who answers: a language model, or the memory alone."""
