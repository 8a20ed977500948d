"""Passes of the compiler: the base classes, the pass manager and the lowering passes.

The public face; see README.md. Names live in the modules and are imported from there.
"""

from executorch.ir.former_paths import keep_former_paths

#: The folders, in the order in which a program goes through them.
FOLDERS = (
    "infrastructure",
    "decomposition",
    "to_edge",
    "optimization",
    "to_execution",
    "quantized",
    "on_request",
)

keep_former_paths(__name__, FOLDERS)
