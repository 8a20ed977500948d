"""Operators of language models that PyTorch does not have, for eager mode and for export."""
