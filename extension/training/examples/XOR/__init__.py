"""Two inputs of which exactly one should be set."""
