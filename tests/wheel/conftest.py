"""Fixtures for the test of the wheel."""

from tests.chain.conftest import home

__all__ = ["home"]
