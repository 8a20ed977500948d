"""Generators of C++ from operator lists: which kernels a binary registers, and the code that registers them."""
