"""Graph passes over what the backend is given: the pass manager, and the base of passes that need the program."""

from executorch.backends.xnnpack._passes.pass_manager import XNNPACKPassManager
from executorch.backends.xnnpack._passes.remove_clone_ops_transform import XNNPACKRemoveCloneOpsTransform
from executorch.backends.xnnpack._passes.xnnpack_pass import XNNPACKPass

__all__ = ["XNNPACKPass", "XNNPACKPassManager", "XNNPACKRemoveCloneOpsTransform"]
