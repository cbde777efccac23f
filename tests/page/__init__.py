"""The memory page in a real browser, against a real server with a seeded memory."""
