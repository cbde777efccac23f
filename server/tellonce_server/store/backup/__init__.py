"""Backups: the program's own archive format, and restoring without undoing erasures."""
