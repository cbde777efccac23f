"""The one command `chatmem`: starts, inspects, imports, exports; sits above the three processes, holds no memory logic."""
