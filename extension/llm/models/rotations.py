"""Rotations of SpinQuant (https://arxiv.org/abs/2405.16406): bases in which weights and what flows between them have no outliers.

The product of a rotation and its inverse is folded into the weights on both sides of what it rotates, so that a float model says the
same afterwards. Two rotations stay in the program, Hadamard transforms by an operator of their own: that of the values before the last
product of a feed-forward layer (R4), which are not linear in anything before them; and, for caches in few bits, that of queries and keys
(R3), since rotary embeddings stand between them and their weights.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from executorch.extension.llm.custom_ops.custom_ops import fast_hadamard_transform
from executorch.extension.llm.models.feed_forward import FeedForward
from executorch.extension.llm.models.refusal import RefusalError


class RotatedFeedForward(nn.Module):
    """``w2(hadamard(act(w1(x)) * w3(x)))``, of the layers of another, whose ``w2`` is of a checkpoint that was rotated."""

    def __init__(self, layer: FeedForward) -> None:
        super().__init__()
        self.w1, self.w2, self.w3, self.act_fn = layer.w1, layer.w2, layer.w3, layer.act_fn

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """``[..., dim]`` to the same."""
        inner = self.act_fn(self.w1(x)) * self.w3(x)
        y: torch.Tensor = self.w2(torch.ops.llama.fast_hadamard_transform(inner))
        return y


def inject_hadamard(module: nn.Module) -> nn.Module:
    """Every :class:`FeedForward` in a model transforms what its last layer gets, in place; returns the model."""
    for name, child in module.named_children():
        if isinstance(child, FeedForward):
            setattr(module, name, RotatedFeedForward(child))
        else:
            inject_hadamard(child)
    return module


class HadamardRotation(nn.Module):
    """The orthonormal transform of the last dimension.

    Args:
        size: of that dimension.

    Raises:
        OperandError: there is no Hadamard matrix of this size here.
    """

    def __init__(self, size: int) -> None:
        super().__init__()
        self.norm = float(_transform(size)[0].norm())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Of the shape of ``x``."""
        turned: torch.Tensor = torch.ops.llama.fast_hadamard_transform(x)
        return turned if abs(self.norm - 1) < 1e-12 else turned / self.norm


def rotate_queries_and_keys(model: Any) -> Any:
    """Attention of a :class:`~executorch.extension.llm.models.transformer.Transformer` rotates queries and keys (R3), in place; returns it.

    Their products stay; what a cache of few bits keeps has no channels that stand out.
    """
    for layer in model.layers:
        layer.attention.qk_rotation = HadamardRotation(layer.attention.head_dim)
    return model


def rotate(model: Any, seed: int = 0) -> Any:
    """Rotates a float :class:`~executorch.extension.llm.models.transformer.Transformer` by random Hadamard matrices, in place, as SpinQuant
    begins; returns it.

    What layers add to is rotated (R1), the values of each head (R2), and what :class:`RotatedFeedForward` transforms (R4).

    Raises:
        ValueError: a size is none that Hadamard matrices have here (a power of two, or 28 times one), or a layer has norms in
            between, an adapter, experts or biases, through which rotations do not go.
    """
    _check(model)
    draw = torch.Generator().manual_seed(seed)
    params = model.params
    first = _hadamard(params.dim, draw)
    with torch.no_grad():
        _own_output(model)
        _into_next(model.norm, [model.output])
        for layer in model.layers:
            attention, forward = layer.attention, layer.feed_forward
            _into_next(layer.attention_norm, [attention.wq, attention.wk, attention.wv])
            _into_next(layer.ffn_norm, [forward.w1, forward.w3])
            for linear in (attention.wq, attention.wk, attention.wv, forward.w1, forward.w3):
                _set(linear, linear.weight.double() @ first)
            for linear in (attention.wo, forward.w2):
                _set(linear, first.T @ linear.weight.double())
            _rotate_heads(attention, _hadamard(attention.head_dim, draw))
            hidden = forward.w2.in_features
            _set(forward.w2, forward.w2.weight.double() @ torch.linalg.inv(_transform(hidden)).T)
        _set(model.tok_embeddings, model.tok_embeddings.weight.double() @ first)
        _set(model.output, model.output.weight.double() @ first)
    inject_hadamard(model)
    return model


def _check(model: Any) -> None:
    if model.params.rms_norm_add_unit_offset:
        raise RefusalError(
            "the model's norms add one to their weights, which do not go into other layers: quantize without rotations"
        )
    if model.params.use_q_gate:
        raise RefusalError(
            "results of attention have gates (use_q_gate), through which rotations of heads do not go: quantize without rotations"
        )
    if model.params.num_kv_shared_layers:
        raise RefusalError(
            "layers share keys and values, whose rotation is no layer's own: quantize without rotations"
        )
    for number, layer in enumerate(model.layers):
        attention = layer.attention
        names = {
            name
            for name, _ in layer.named_parameters()
            if not name.startswith(("attention.w", "feed_forward.w"))
        }
        others = names - {
            "attention_norm.weight",
            "ffn_norm.weight",
            "attention.q_norm_fn.weight",
            "attention.k_norm_fn.weight",
        }
        biases = [name for name, _ in layer.named_parameters() if name.endswith("bias") or ".lora_" in name]
        if others or biases or not isinstance(layer.feed_forward, FeedForward):
            raise RefusalError(
                f"layer {number} has {', '.join(sorted(others) + biases) or type(layer.feed_forward).__name__}, "
                "through which no rotation goes: quantize without rotations"
            )
        for what, size in (
            ("the decoder's width", model.params.dim),
            ("a head", attention.head_dim),
            ("the inside of a feed-forward network", layer.feed_forward.w2.in_features),
        ):
            _check_size(what, size)


def _check_size(what: str, size: int) -> None:
    try:
        _transform(size)
    except ValueError as error:
        raise RefusalError(f"{what} has no rotation: {error}; quantize without rotations") from error


def _own_output(model: Any) -> None:
    if model.output.weight is model.tok_embeddings.weight:
        model.output.weight = nn.Parameter(model.output.weight.detach().clone(), requires_grad=False)


def _into_next(norm: Any, linears: list[Any]) -> None:
    """A norm's weights into the layers behind it, since rotations go through the norm itself only."""
    for linear in linears:
        _set(linear, linear.weight.double() * norm.weight.double())
    _set(norm, torch.ones_like(norm.weight))


def _rotate_heads(attention: Any, rotation: torch.Tensor) -> None:
    """Of each head, values one way and what the output takes of them the other."""
    size = rotation.shape[0]
    values = attention.wv.weight.double().unflatten(0, (-1, size))
    _set(attention.wv, (rotation.T @ values).flatten(0, 1))
    taken = attention.wo.weight.double().unflatten(1, (-1, size))
    _set(attention.wo, (taken @ rotation).flatten(1, 2))


def _set(module: Any, weight: torch.Tensor) -> None:
    old = module.weight
    module.weight = nn.Parameter(weight.to(old.dtype), requires_grad=False)


def _transform(size: int) -> torch.Tensor:
    """The matrix by which the operator multiplies rows from the right."""
    return fast_hadamard_transform(torch.eye(size, dtype=torch.float64))


def _hadamard(size: int, draw: torch.Generator) -> torch.Tensor:
    """A random rotation: the transform, made orthonormal, with signs."""
    matrix = _transform(size)
    signs = torch.randint(0, 2, (size,), generator=draw) * 2.0 - 1.0
    return matrix / matrix[0].norm() * signs[:, None]
