"""Not here: this runtime has tensors of its own and no build for ATen's.

:mod:`executorch.extension.pybindings.portable_lib` has the same functions, and takes and gives torch tensors.
"""

raise ImportError(
    "executorch.extension.pybindings.aten_lib does not exist: it ran kernels of libtorch, which this runtime is not "
    "built for. Import executorch.extension.pybindings.portable_lib instead: it has the same functions and takes and "
    "gives torch tensors.",
    name=__name__,
)
