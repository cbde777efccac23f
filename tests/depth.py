"""How thorough the random tests are. Every run takes short ones; `TELLONCE_TEST_PROFILE=deep` takes the long ones.

The deep profile has the numbers of examples, kills and exchanges that were run while the tests were written. It finds
rare errors, and it adds several minutes.
"""

import os

DEEP = os.environ.get("TELLONCE_TEST_PROFILE") == "deep"


def depth(usual: int, deep: int) -> int:
    """The number of examples for this run."""
    return deep if DEEP else usual
