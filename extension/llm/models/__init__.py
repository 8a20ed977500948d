"""Decoders of language models, written for export."""
