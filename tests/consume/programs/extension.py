"""The documented lower-level bindings, and nothing of the compiler: extension.py in a directory with model.pte."""

import torch

from executorch.extension.pybindings.portable_lib import (
    _load_for_executorch,
    _load_for_executorch_from_buffer,
)

module = _load_for_executorch("model.pte")
(output,) = module.forward([torch.ones(2, 4)])
assert output.shape == (2, 3)

with open("model.pte", "rb") as file:
    again = _load_for_executorch_from_buffer(file.read())
torch.testing.assert_close(again.forward([torch.ones(2, 4)])[0], output)
