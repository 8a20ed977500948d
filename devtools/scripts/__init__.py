"""Command lines that are not tools of their own."""
