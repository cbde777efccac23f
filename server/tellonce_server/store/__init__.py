"""Named queries as typed coroutines, one module a table; the only room that speaks SQL."""
