"""PostgreSQL itself: the embedded server, the requirements on an external server, and the schema's migrations."""
