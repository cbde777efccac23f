"""Messages nobody asked for: which, when, what they say, and how they are sent and recorded."""
