"""What the wheel's test lives in."""

from tests.chain.conftest import home

__all__ = ["home"]
