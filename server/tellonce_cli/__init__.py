"""The command `tellonce`. It starts the three processes and works on the memory with their code, without memory logic
of its own."""
