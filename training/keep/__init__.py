"""Training of the scorer that chooses which of the user's own sentences are kept (`tellonce_server.domain.keep`)."""
