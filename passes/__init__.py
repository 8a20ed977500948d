"""Passes of the compiler: the base classes, the pass manager and the lowering passes.

The public face; see README.md. Names live in the modules and are imported from there.
"""
