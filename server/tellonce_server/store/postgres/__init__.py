"""The former place of `tellonce_server.postgres`. Delete it after one release."""
