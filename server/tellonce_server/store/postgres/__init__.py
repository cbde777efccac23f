"""PostgreSQL itself: the embedded server, its files and account, and the schema's version; no table of ours is known but by migrations."""
