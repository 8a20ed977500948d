"""The patterns that the example backend takes, longer ones first: the first that matches a node gets it."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import torch

from executorch.backends.example.example_operators.adaptive_avg_pool2d import AdaptiveAvgPool2dNode
from executorch.backends.example.example_operators.add import AddNode
from executorch.backends.example.example_operators.conv2d import Conv2DNode
from executorch.backends.example.example_operators.conv_relu import ConvReluNode
from executorch.backends.example.example_operators.dropout import DropOutNode
from executorch.backends.example.example_operators.flatten import FlattenNode
from executorch.backends.example.example_operators.linear import LinearNode
from executorch.backends.example.example_operators.op_base import OpBase

module_to_annotator: OrderedDict[tuple[Any, ...], OpBase] = OrderedDict(
    (node.pattern, node)
    for node in (
        ConvReluNode(),
        Conv2DNode(),
        LinearNode(),
        AddNode(),
        AdaptiveAvgPool2dNode(),
        AdaptiveAvgPool2dNode(torch.nn.functional.adaptive_avg_pool2d),
        FlattenNode(),
        DropOutNode(),
    )
)

__all__ = ["module_to_annotator"]
