"""How times are written, read and compared: in the user's zone, in plain calendar arithmetic; no I/O, no clock of its own."""
