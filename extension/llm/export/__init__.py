"""Export of language models."""
