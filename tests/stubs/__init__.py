"""Stand-ins for outside services, on loopback, for tests and for trying things by hand."""
