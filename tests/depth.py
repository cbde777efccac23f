"""Sets the thoroughness of the random tests. They are short by default and long with `TELLONCE_TEST_PROFILE=deep`.

The deep profile uses the values with which the tests were first written: for the numbers of examples, kills and
exchanges, and for the lengths of texts. It finds rare errors but takes several minutes more.
"""

import os

DEEP = os.environ.get("TELLONCE_TEST_PROFILE") == "deep"


def depth(usual: int, deep: int) -> int:
    """The number of examples for this run."""
    return deep if DEEP else usual
