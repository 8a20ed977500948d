"""Documented paths of operators' variants."""
