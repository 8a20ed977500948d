"""Documented path of the `.ptd` files of :mod:`executorch.emitter`."""
