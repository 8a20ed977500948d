"""Between functional, in-place, out and scratch variants of operators."""
