"""Sets the thoroughness of the random tests. They are short by default and long with `TELLONCE_TEST_PROFILE=deep`.

The deep profile uses the original values: as many examples, kills and exchanges, and as long texts, as when the tests
were written. It finds rare errors but takes several minutes more.
"""

import os

DEEP = os.environ.get("TELLONCE_TEST_PROFILE") == "deep"


def depth(usual: int, deep: int) -> int:
    """The number of examples for this run."""
    return deep if DEEP else usual
