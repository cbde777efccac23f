"""Entry of every hook: `python3 -E -s -S tellonce_hook.py EVENT`. Standard library only, Python 3.8 or later.

The work is in a package beside this file, because Python keeps the compiled form of what it imports, not of what it runs.
"""

import sys

from tellonce_hooks import main

if __name__ == "__main__":
    sys.exit(main.run(sys.argv[1:]))
