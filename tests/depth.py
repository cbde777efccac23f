"""Sets the thoroughness of the random tests. They are short by default and long with `TELLONCE_TEST_PROFILE=deep`.

The deep profile has more examples, kills and exchanges, and longer texts. Its values are the original values of the
tests. It finds rare errors but takes several minutes more.
"""

import os

DEEP = os.environ.get("TELLONCE_TEST_PROFILE") == "deep"


def depth(usual: int, deep: int) -> int:
    """The number of examples for this run."""
    return deep if DEEP else usual
