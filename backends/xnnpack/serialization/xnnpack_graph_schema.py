"""The classes of a delegate's graph, under the path and with the names of released ExecuTorch 1.x.

They are generated from ``schema.fbs``; ``XNNNode1x1`` and its like are the tables that operators of one kind share.
"""

from executorch.backends.xnnpack.serialization import schema as _schema
from executorch.backends.xnnpack.serialization.schema import *  # noqa: F403  # every operator of the schema
from executorch.backends.xnnpack.serialization.schema import (
    Buffer,
    ConstantDataOffset,
    OutputMinMax,
    PerChannelGroupQuant,
    PerChannelQuant,
    PerTensorQuant,
    PerTokenDynamicQuant,
    XNNDatatype,
    XNNGraph,
    XNNQuantizedTensorValue,
    XNNTensorValue,
    XNode,
    XValue,
)

XNNNode1x1 = _schema._XNNNode1x1
XNNNode2x1 = _schema._XNNNode2x1
XNNCat = _schema._XNNCat
XNNNodeConv = _schema._XNNNodeConv
XNNPooling2D = _schema._XNNPooling2D

__all__ = [
    "Buffer",
    "ConstantDataOffset",
    "OutputMinMax",
    "PerChannelGroupQuant",
    "PerChannelQuant",
    "PerTensorQuant",
    "PerTokenDynamicQuant",
    "XNNCat",
    "XNNDatatype",
    "XNNGraph",
    "XNNNode1x1",
    "XNNNode2x1",
    "XNNNodeConv",
    "XNNPooling2D",
    "XNNQuantizedTensorValue",
    "XNNTensorValue",
    "XNode",
    "XValue",
]
