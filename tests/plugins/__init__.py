"""The plugins for coding assistants, run as their clients run them."""
