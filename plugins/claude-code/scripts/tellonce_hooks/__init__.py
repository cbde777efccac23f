"""The hooks of tellonce for Claude Code. They need no package: whatever `python3` the machine has runs them."""
