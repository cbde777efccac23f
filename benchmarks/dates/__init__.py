"""Scores the resolver of dates on tables of sentences that were not written by the grammar's authors."""
