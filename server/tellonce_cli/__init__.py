"""The command `tellonce`. The command line starts the three processes. The command line uses the code of these
processes to work on the memory, and has no memory logic of its own."""
