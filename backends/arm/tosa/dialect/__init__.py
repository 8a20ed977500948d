"""The dialect ``tosa``: TOSA's operators as ``ops.backend.tosa.*``, importing it registers them.

Each checks its arguments by the specification of the surrounding ``TosaLoweringContext``, gives the shape and type of its result, and, where it is simple, calculates it.
"""

from executorch.backends.arm.tosa.dialect import ops

__all__ = ["ops"]
