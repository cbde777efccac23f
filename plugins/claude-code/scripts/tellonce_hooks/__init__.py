"""The hooks of tellonce for Claude Code. They need no packages and run with any `python3` of the machine."""
