"""The command `tellonce`: starts the three processes, or uses their code. It has no memory logic of its own."""
