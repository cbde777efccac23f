"""PostgreSQL itself: the embedded server, requirements on an external server, migrations, and the move to another owner."""
