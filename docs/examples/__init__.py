"""Programs the documents show; a test runs each."""
