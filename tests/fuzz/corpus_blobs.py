"""Blobs of XNNPACK's delegates: every family of nodes, in every arithmetic that they have."""

from __future__ import annotations

import dataclasses

import torch
from torch import nn
from torch.export import export
from torchao.quantization.granularity import PerAxis, PerGroup
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e
from torchao.quantization.quant_api import Int8DynamicActivationIntxWeightConfig, quantize_

from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
    XNNPACKQuantizer,
    get_symmetric_quantization_config,
)
from executorch.backends.xnnpack.serialization.blob import NAMED, pack, unpack
from executorch.backends.xnnpack.serialization.schema import ConstantDataOffset, write_xnngraph
from executorch.exir import to_edge_transform_and_lower


class _Layers(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.convolution = nn.Conv2d(2, 4, 3, padding=1)
        self.linear = nn.Linear(4, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = torch.relu(self.convolution(x))
        x = torch.cat((x, nn.functional.pad(x, (0, 0, 0, 0))), 1)[:, 2:6].mean((2, 3))
        return torch.softmax(self.linear(x) * torch.sigmoid(self.linear(x)), -1)


class _Elementwise(nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return torch.clamp(x @ y.transpose(1, 2), -1, 1).abs() - torch.minimum(x @ x, y @ y)


class _Images(nn.Module):
    """What is there for images, besides."""

    def __init__(self) -> None:
        super().__init__()
        self.depthwise = nn.Conv2d(2, 2, 3, padding=1, groups=2)
        self.transposed = nn.ConvTranspose2d(2, 2, 2, stride=2)
        self.slope = nn.PReLU(2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        smaller = nn.functional.max_pool2d(self.depthwise(x), 2) + nn.functional.avg_pool2d(x, 2)
        larger = nn.functional.interpolate(smaller, size=(6, 6), mode="bilinear", align_corners=True)
        larger = nn.functional.elu(larger) * self.slope(self.transposed(nn.functional.leaky_relu(smaller)))
        return larger.permute(0, 2, 3, 1).reshape(1, 36, 2)[:, 1:9]


def _quantized(module: nn.Module, inputs: tuple[torch.Tensor, ...]) -> nn.Module:
    config = get_symmetric_quantization_config(is_per_channel=True)
    prepared = prepare_pt2e(export(module.eval(), inputs).module(), XNNPACKQuantizer().set_global(config))
    prepared(*inputs)
    return convert_pt2e(prepared)


def _quantized_by_rows() -> nn.Module:
    """Inputs by rows when the layers run; weights of eight bits, of four, and of four by groups."""
    layers = nn.Sequential(nn.Linear(32, 8), nn.Linear(32, 8), nn.Linear(32, 8))
    for layer, dtype, granularity in zip(
        layers, (torch.int8, torch.int4, torch.int4), (PerAxis(0), PerAxis(0), PerGroup(32)), strict=True
    ):
        quantize_(
            layer, Int8DynamicActivationIntxWeightConfig(weight_dtype=dtype, weight_granularity=granularity)
        )
    return _Sum(layers)


class _Sum(nn.Module):
    def __init__(self, layers: nn.Sequential) -> None:
        super().__init__()
        self.layers = layers

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layers[0](x) + self.layers[1](x) + self.layers[2](x)


def _blobs_of(module: nn.Module, inputs: tuple[torch.Tensor, ...]) -> list[tuple[bytes, bytes]]:
    edge = to_edge_transform_and_lower(export(module, inputs), partitioner=[XnnpackPartitioner()])
    lowered = [m for _, m in edge.exported_program().graph_module.named_children()]
    blobs = []
    for delegate in lowered:
        graph, _ = unpack(delegate.processed_bytes)
        store = delegate.named_data_store_output
        inside, named, constants = [], [], b""
        for place in graph.constant_data:
            if not place.named_key:
                inside.append(place)
                named.append(place)
                continue
            data = bytes(store.buffers[store.pte_data[place.named_key].buffer_index])
            inside.append(ConstantDataOffset(len(constants), len(data)))
            # The target gives every name as much data as the number at its end says.
            named.append(ConstantDataOffset(NAMED, 0, f"w{len(data)}"))
            constants += data + bytes(-len(data) % 16)
        with_header = pack(dataclasses.replace(graph, constant_data=inside), constants)
        without = write_xnngraph(dataclasses.replace(graph, constant_data=named)).tobytes()
        blobs.append((with_header, bytes(without)))
    return blobs


def blobs() -> dict[str, bytes]:
    """Delegates' blobs in both forms: with a header and constants behind the graph, and the graph alone."""
    images = (torch.rand(1, 2, 6, 6),)
    rows = (torch.rand(2, 32),)
    models = {
        "layers": (_Layers().eval(), images),
        "elementwise": (_Elementwise(), (torch.rand(2, 3, 3), torch.rand(2, 3, 3))),
        "images": (_Images(), images),
        "halves": (_Layers().half(), (images[0].half(),)),
        "bytes": (_quantized(_Layers().eval(), images), images),
        "by_rows": (_quantized_by_rows(), rows),
    }
    files = {}
    for name, (module, inputs) in models.items():
        with_header, without = max(_blobs_of(module, inputs), key=lambda forms: len(forms[0]))
        files[f"{name}_header"] = with_header
        files[name] = without
    return files
