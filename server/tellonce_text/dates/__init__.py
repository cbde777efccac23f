"""Time expressions in a text and the days they name: one grammar, one resolver, and what is built on them."""
