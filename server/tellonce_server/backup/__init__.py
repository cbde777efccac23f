"""Backups: the program's own archive format, dumps of former releases, and restoring without undoing erasures."""
