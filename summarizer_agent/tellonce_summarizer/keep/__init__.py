"""The memory without a language model: the user's own sentences, verbatim; restates nothing, ends nothing."""
