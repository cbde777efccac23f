"""The command `tellonce`: it starts, inspects, imports and exports. It sits above the three processes and holds no
memory logic."""
