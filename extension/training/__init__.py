"""Training on the device, from Python: modules of joint graphs and an optimizer that changes their parameters in place.

    from executorch.extension.training import _load_for_executorch_for_training, get_sgd_optimizer

    module = _load_for_executorch_for_training("model.pte")
    loss = module.forward_backward("forward", (image, label))[0]
    optimizer = get_sgd_optimizer(module.named_parameters(), lr=0.1)
    optimizer.step(module.named_gradients())

In C++ the same is ``<executorch/extension/training/module/training_module.h>`` and ``optimizer/sgd.h``.
"""

from executorch.extension.training.pybindings._training_lib import ExecuTorchSGD, get_sgd_optimizer
from executorch.extension.training.pybindings._training_module import (
    TrainingModule,
    _load_for_executorch_for_training,
    _load_for_executorch_for_training_from_buffer,
)

__all__ = [
    "ExecuTorchSGD",
    "TrainingModule",
    "_load_for_executorch_for_training",
    "_load_for_executorch_for_training_from_buffer",
    "get_sgd_optimizer",
]
