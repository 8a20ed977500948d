"""Types by which published code describes what is emitted; the emitter is in :mod:`executorch.emitter`."""

from torch.fx.node import Argument as _Argument
from torch.fx.node import Target as _Target

#: A backend's own map from its debug identifiers, numbers or names, to debug handles.
_DelegateDebugIdentifierMap = dict[int, tuple[int, ...]] | dict[str, tuple[int, ...]]

__all__ = [
    "_Argument",
    "_DelegateDebugIdentifierMap",
    "_Target",
]
