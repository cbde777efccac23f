"""Training of the scorer that chooses which of the user's own sentences are kept (`chatmem_server.keep`)."""
