"""Caches of keys and values as modules of PyTorch, and their exchange in a model, for export."""
