"""Sets the thoroughness of the random tests. They are short by default and long with `TELLONCE_TEST_PROFILE=deep`.

The deep profile uses the numbers of examples, kills and exchanges, and the lengths of texts, that were used when the
tests were written. It finds rare errors but takes several minutes more.
"""

import os

DEEP = os.environ.get("TELLONCE_TEST_PROFILE") == "deep"


def depth(usual: int, deep: int) -> int:
    """The number of examples for this run."""
    return deep if DEEP else usual
