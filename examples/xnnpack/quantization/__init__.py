"""Example models in 8 bits."""
