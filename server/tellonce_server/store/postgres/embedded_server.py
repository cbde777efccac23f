"""The former name of `tellonce_server.postgres.embedded_server`. During an upgrade, a watcher of the earlier version may
still run, and it stops PostgreSQL with this name."""

import runpy

if __name__ == "__main__":
    runpy.run_module("tellonce_server.postgres.embedded_server", run_name="__main__")
