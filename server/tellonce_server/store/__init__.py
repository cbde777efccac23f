"""Named queries as typed coroutines, one module per table. No other package uses SQL."""
