"""PostgreSQL itself: the embedded server with its files and OS account, the requirements on an external server, and
schema migrations. Only the migrations name our tables."""
