"""Another documented name of :mod:`executorch.extension.pybindings.portable_lib`."""

from __future__ import annotations

from executorch.extension.pybindings import portable_lib as _portable_lib
from executorch.extension.pybindings.portable_lib import *  # noqa: F403

__all__ = _portable_lib.__all__
