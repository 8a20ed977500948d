"""Weights of four bits in groups, for ``prepare_pt2e`` and ``convert_pt2e``: the node of a weight becomes integers and scales."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

import torch
from torch.fx import GraphModule, Node
from torchao.quantization.granularity import PerAxis
from torchao.quantization.pt2e.observer import AffineQuantizedObserverBase
from torchao.quantization.pt2e.utils import create_getattr_from_value
from torchao.quantization.quant_primitives import MappingType

from executorch.backends.openvino.conversion.compression import Compression, rounded

_MOST = 15


class GroupObserver(AffineQuantizedObserverBase):
    """Rounds a matrix by groups of columns when the model is converted; until then it lets it through.

    Args:
        asked: bits, zero points and group size; they mean what the compile spec ``compress_weights`` means by them.
    """

    def __init__(self, *, asked: Compression, **_: Any) -> None:
        super().__init__(MappingType.ASYMMETRIC, torch.uint8, PerAxis(0), 0, _MOST)
        self.asked = asked

    def forward(self, weight: torch.Tensor) -> torch.Tensor:
        return weight

    def calculate_qparams(self) -> tuple[torch.Tensor, torch.Tensor]:
        """There are none before the weight is known.

        Raises:
            NotImplementedError: always; :meth:`convert` has both at once.
        """
        raise NotImplementedError("scales of groups are made with the integers, by convert")

    def convert(self, model: GraphModule, observer_node: Node) -> None:
        """Puts ``dequantize_per_channel_group`` of integers, scales and zero points in the observer's place.

        Raises:
            ValueError: what is observed is no constant.
        """
        source = observer_node.args[0]
        if not isinstance(source, Node) or source.op != "get_attr":
            raise ValueError(f"OpenVINOQuantizer: {source} has four bits only as a constant of the model")
        weight: torch.Tensor = attrgetter(str(source.target))(model)
        integers, scales, zeros = rounded(weight.detach().float().numpy(), self.asked)
        rows, groups, size = integers.shape

        def constant(name: str, value: torch.Tensor) -> Any:
            return create_getattr_from_value(model, model.graph, name, value, None)

        with model.graph.inserting_before(observer_node):
            read = model.graph.call_function(
                decomposed("dequantize_per_channel_group"),
                (
                    constant("_integers", torch.from_numpy(integers.reshape(rows, groups * size))),
                    constant("_scales", torch.from_numpy(scales.reshape(rows, groups))),
                    constant("_zero_points", torch.from_numpy(zeros.reshape(rows, groups)).to(torch.int32)),
                    0,
                    _MOST,
                    torch.uint8,
                    size,
                    weight.dtype,
                ),
            )
        observer_node.replace_all_uses_with(read)
        model.graph.erase_node(observer_node)


def decomposed(name: str) -> Callable[..., Any]:
    """An operator of ``quantized_decomposed``."""
    # The import registers the operators.
    import torch.ao.quantization.fx._decomposed

    return attrgetter(f"quantized_decomposed.{name}.default")(torch.ops)
