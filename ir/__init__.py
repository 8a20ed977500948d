"""The graph toolkit: copies, signature, constants and rewriting of exported programs.

The public face; see README.md. Names live in the modules and are imported from there.
"""
