"""Recurrent layers as the products, sums and gates of each step."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch
import torch._decomp
import torch.nn.functional as F
from torch.fx import GraphModule, Node
from torch.utils import _pytree as pytree

from executorch.backends.transforms.inline_traced import inline_traced
from executorch.dialects.torch_types import OpOverload
from executorch.ir.rewriter import is_call
from executorch.ir.values import shape_of
from executorch.passes.infrastructure.pass_base import GraphPass

_aten = torch.ops.aten
LSTM = (_aten.lstm.input, _aten.lstm_cell.default)
GRU = (_aten.gru.input, _aten.gru_cell.default)
RNN = (
    _aten.rnn_tanh.input,
    _aten.rnn_relu.input,
    _aten.rnn_tanh_cell.default,
    _aten.rnn_relu_cell.default,
)


def _both(x: Any, state: Any, weights: Any, biases: Any) -> tuple[torch.Tensor, torch.Tensor]:
    return F.linear(x, weights[0], biases[0]), F.linear(state, weights[1], biases[1])


def _lstm_cell(
    x: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None
) -> tuple[torch.Tensor, torch.Tensor]:
    state, cell = hx
    ours, theirs = _both(x, state, (w_ih, w_hh), (b_ih, b_hh))
    taken, kept, new, shown = (ours + theirs).chunk(4, -1)
    cell = kept.sigmoid() * cell + taken.sigmoid() * new.tanh()
    return shown.sigmoid() * cell.tanh(), cell


def _gru_cell(x: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> torch.Tensor:
    ours, theirs = (one.chunk(3, -1) for one in _both(x, hx, (w_ih, w_hh), (b_ih, b_hh)))
    reset, kept = ((ours[i] + theirs[i]).sigmoid() for i in range(2))
    new = (ours[2] + reset * theirs[2]).tanh()
    return new + kept * (hx - new)


def _rnn_cell(activation: Callable[[torch.Tensor], torch.Tensor]) -> Callable[..., torch.Tensor]:
    def cell(x: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> torch.Tensor:
        return activation(torch.add(*_both(x, hx, (w_ih, w_hh), (b_ih, b_hh))))

    return cell


#: PyTorch writes layers out itself.
_CELLS: dict[OpOverload, Callable[..., Any]] = {
    _aten.lstm_cell.default: _lstm_cell,
    _aten.gru_cell.default: _gru_cell,
    _aten.rnn_tanh_cell.default: _rnn_cell(torch.tanh),
    _aten.rnn_relu_cell.default: _rnn_cell(torch.relu),
}


class DecomposeRecurrent(GraphPass):
    """``lstm``, ``gru`` and ``rnn`` (layers and single cells, as they are captured) are written out, step by step.

    Layers stay whole in it. What has a size that is not known is left as it is.

    Args:
        operators: which of them.
    """

    def __init__(self, operators: Iterable[OpOverload] = (*LSTM, *GRU, *RNN)) -> None:
        super().__init__()
        self.operators = tuple(operators)

    def rewrite_graph(self, graph_module: GraphModule) -> bool:
        modified = False
        for node in list(graph_module.graph.nodes):
            if is_call(node, *self.operators) and self.accepts(node):
                modified |= decompose_recurrent(node)
        return modified

    def accepts(self, node: Node) -> bool:
        """Whether a call is written out; for subclasses."""
        return True


def decompose_recurrent(node: Node) -> bool:
    """Writes one call out; False if a size is not known."""
    leaves, spec = pytree.tree_flatten((node.args, node.kwargs))
    operands = [one for one in leaves if isinstance(one, Node)]
    if not all(isinstance(size, int) for one in operands for size in shape_of(one) or ()):
        return False
    target: Any = node.target

    def steps(*tensors: torch.Tensor) -> Any:
        left = iter(tensors)
        filled = [next(left) if isinstance(one, Node) else one for one in leaves]
        args, kwargs = pytree.tree_unflatten(filled, spec)
        return (_CELLS.get(target) or torch._decomp.decomposition_table[target])(*args, **kwargs)

    # Otherwise an LSTM is one operator of the library for processors.
    with torch.backends.mkldnn.flags(enabled=False):
        inline_traced(node, steps, operands, "_recurrent_constant", keeps_layers=True)
    return True


__all__ = ["GRU", "LSTM", "RNN", "DecomposeRecurrent", "decompose_recurrent"]
