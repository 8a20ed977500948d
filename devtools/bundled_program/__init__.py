"""Bundled programs: a program together with inputs and the outputs that they should give, in one file."""
