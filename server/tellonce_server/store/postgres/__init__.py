"""PostgreSQL itself: the embedded server, the requirements on an external one, and the schema's migrations."""
