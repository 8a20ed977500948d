"""Layouts of tensors in data files, made from tensors."""

import torch

from executorch.partitioner.interface.named_data_store import tensor_layout
from executorch.schema.flat_tensor import TensorLayout


def _from_tensor(cls: type[TensorLayout], tensor: torch.Tensor) -> TensorLayout:
    """The layout of a tensor.

    Raises:
        ValueError: it is sparse, or neither contiguous nor channels-last.
    """
    del cls
    return tensor_layout(tensor)


# The class is generated from the schema, which knows nothing of torch.
TensorLayout.from_tensor = classmethod(_from_tensor)  # type: ignore[attr-defined]
