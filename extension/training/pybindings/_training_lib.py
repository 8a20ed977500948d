"""Stochastic gradient descent on the parameters of a program."""

from __future__ import annotations

from collections.abc import Mapping

import torch


class ExecuTorchSGD:
    """Does what :class:`torch.optim.SGD` does, step by step, to parameters that have names."""

    def __init__(
        self,
        named_params: Mapping[str, torch.Tensor],
        lr: float = 0.1,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
    ) -> None:
        for name, parameter in named_params.items():
            if not isinstance(parameter, torch.Tensor):
                raise TypeError(f"parameter {name!r} should be a tensor, not a {type(parameter).__name__}")
        self._parameters = dict(named_params)
        self._lr, self._momentum, self._dampening = lr, momentum, dampening
        self._weight_decay, self._nesterov = weight_decay, nesterov
        self._buffers: dict[str, torch.Tensor] = {}

    @torch.no_grad()
    def step(self, named_gradients: Mapping[str, torch.Tensor]) -> None:
        """Changes, in place, each parameter that has a gradient; other gradients have no effect.

        Raises:
            ValueError: A gradient has another shape than its parameter; nothing is changed then.
        """
        pairs = [
            (name, self._parameters[name], gradient)
            for name, gradient in named_gradients.items()
            if name in self._parameters
        ]
        for name, parameter, gradient in pairs:
            if parameter.shape != gradient.shape:
                raise ValueError(
                    f"the gradient of {name!r} has shape {tuple(gradient.shape)}, the parameter {tuple(parameter.shape)}"
                )
        for name, parameter, gradient in pairs:
            parameter.add_(self._direction(name, parameter, gradient), alpha=-self._lr)

    def _direction(self, name: str, parameter: torch.Tensor, gradient: torch.Tensor) -> torch.Tensor:
        if self._weight_decay != 0:
            gradient = gradient.add(parameter, alpha=self._weight_decay)
        if self._momentum == 0:
            return gradient
        if name in self._buffers:
            buffer = self._buffers[name]
            buffer.mul_(self._momentum).add_(gradient, alpha=1 - self._dampening)
        else:
            buffer = self._buffers[name] = gradient.clone()
        return gradient.add(buffer, alpha=self._momentum) if self._nesterov else buffer


def get_sgd_optimizer(
    named_params: Mapping[str, torch.Tensor],
    lr: float = 0.1,
    momentum: float = 0.0,
    dampening: float = 0.0,
    weight_decay: float = 0.0,
    nesterov: bool = False,
) -> ExecuTorchSGD:
    """An optimizer for the parameters of :meth:`.TrainingModule.named_parameters`.

    Args:
        named_params: Name to the tensor that is changed.
        lr: Learning rate.
        momentum: How much of the last step goes into the next.
        dampening: How much of the gradient is left out of the momentum.
        weight_decay: How much of a parameter is added to its gradient.
        nesterov: Whether the momentum looks ahead.
    """
    return ExecuTorchSGD(named_params, lr, momentum, dampening, weight_decay, nesterov)


__all__ = ["ExecuTorchSGD", "get_sgd_optimizer"]
