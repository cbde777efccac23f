"""Trains the scorer that selects which of the user's own sentences are kept (`tellonce_server.domain.keep`)."""
