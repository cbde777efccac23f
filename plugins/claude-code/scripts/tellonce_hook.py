"""The entry point of every hook: `python3 -E -s -S tellonce_hook.py EVENT`. It needs only Python 3.9 or later, without
packages.

The code of the hooks is in a package next to this file, because Python caches the compiled form of imported modules,
but not of scripts.
"""

import sys

from tellonce_hooks import main

if __name__ == "__main__":
    sys.exit(main.run(sys.argv[1:]))
