"""Programs of the compiler's dialects as bytes, and back; see :mod:`executorch.exir.serde.serialize`."""
