"""The one command `tellonce`: starts, inspects, imports, exports; sits above the three processes, holds no memory logic."""
