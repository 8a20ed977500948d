"""Another documented name of :mod:`executorch.devtools.bundled_program.schema`."""

from executorch.devtools.bundled_program import schema as _schema
from executorch.devtools.bundled_program.schema import *  # noqa: F403

__all__ = _schema.__all__
