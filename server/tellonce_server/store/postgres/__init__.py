"""PostgreSQL itself: the embedded server, its files and account, and the schema's version. Only the migrations know
our tables."""
