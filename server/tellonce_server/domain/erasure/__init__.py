"""Removes forgotten text everywhere, and updates the data that depends on an edited message."""
