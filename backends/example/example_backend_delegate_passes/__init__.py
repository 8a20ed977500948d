"""Passes that the example backend runs over each subgraph that it gets."""
