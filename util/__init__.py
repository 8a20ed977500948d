"""Documented paths of tools that have no library of their own name."""
