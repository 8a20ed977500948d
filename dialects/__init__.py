"""Dialects of the compiler: operators, dtype constraints, dim order, tensor specs and verifiers.

The public face; see README.md. Names live in the modules and are imported from there.
"""
