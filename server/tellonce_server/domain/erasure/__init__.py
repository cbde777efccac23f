"""Removes forgotten text everywhere, and updates what depends on an edited message."""
