"""How tables of element types are written; see :mod:`executorch.exir.dialects.edge.spec.gen`."""
