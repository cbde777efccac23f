"""The command `tellonce`. It starts the three processes. It uses their code to work on the memory and has no memory
logic of its own."""
