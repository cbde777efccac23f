"""Backups: the program's own archive, dumps of former releases, and what a restore leaves as it is."""
