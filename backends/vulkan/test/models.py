"""Models of the published structure, with few channels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torchao.quantization.granularity import PerAxis, PerGroup
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e
from torchao.quantization.quant_api import (
    Int8DynamicActivationIntxWeightConfig,
    IntxWeightOnlyConfig,
    quantize_,
)
from torchao.utils import unwrap_tensor_subclass

from executorch.backends.vulkan.quantizer.vulkan_quantizer import (
    VulkanQuantizer,
    get_symmetric_quantization_config,
)
from executorch.extension.llm.cache.replacements import (
    replace_kv_cache_with_custom_kv_cache,
    replace_kv_cache_with_quantized_kv_cache,
)
from executorch.extension.llm.models.model_args import ModelArgs
from executorch.extension.llm.models.sdpa import replace_sdpa_with_custom_op, replace_sdpa_with_quantized_sdpa
from executorch.extension.llm.models.transformer import construct_transformer

Model = tuple[nn.Module, tuple[Tensor, ...]]


def _convolution(inputs: int, outputs: int, kernel: int, stride: int = 1, groups: int = 1) -> list[nn.Module]:
    conv = nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False)
    return [conv, nn.BatchNorm2d(outputs)]


class Inverted(nn.Module):
    """Wider, each channel by itself, narrower."""

    def __init__(self, inputs: int, outputs: int, stride: int, factor: int) -> None:
        super().__init__()
        wide = inputs * factor
        self.layers = nn.Sequential(
            *_convolution(inputs, wide, 1),
            nn.ReLU6(),
            *_convolution(wide, wide, 3, stride, groups=wide),
            nn.ReLU6(),
            *_convolution(wide, outputs, 1),
        )
        self.residual = stride == 1 and inputs == outputs

    def forward(self, x: Tensor) -> Tensor:
        found: Tensor = self.layers(x)
        return x + found if self.residual else found


class Basic(nn.Module):
    """Two convolutions and what goes around them."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        layers = [*_convolution(inputs, outputs, 3, stride), nn.ReLU(), *_convolution(outputs, outputs, 3)]
        self.layers = nn.Sequential(*layers)
        is_same = stride == 1 and inputs == outputs
        self.around = nn.Identity() if is_same else nn.Sequential(*_convolution(inputs, outputs, 1, stride))

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(self.layers(x) + self.around(x))


def mobilenet_v2() -> Model:
    """Stages of the published expansion, counts and strides."""
    stages = [
        (1, 4, 1, 1),
        (6, 6, 2, 2),
        (6, 8, 3, 2),
        (6, 8, 4, 2),
        (6, 12, 3, 1),
        (6, 20, 3, 2),
        (6, 24, 1, 1),
    ]
    layers: list[nn.Module] = [*_convolution(3, 8, 3, 2), nn.ReLU6()]
    inputs = 8
    for factor, outputs, count, stride in stages:
        for position in range(count):
            layers.append(Inverted(inputs, outputs, stride if position == 0 else 1, factor))
            inputs = outputs
    layers += [
        *_convolution(inputs, 64, 1),
        nn.ReLU6(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(64, 10),
    ]
    return nn.Sequential(*layers), (torch.randn(1, 3, 64, 64),)


def resnet18() -> Model:
    """Four stages of two blocks."""
    layers: list[nn.Module] = [*_convolution(3, 8, 7, 2), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
    inputs = 8
    for outputs, stride in ((8, 1), (16, 2), (24, 2), (32, 2)):
        layers += [Basic(inputs, outputs, stride), Basic(outputs, outputs, 1)]
        inputs = outputs
    layers += [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 10)]
    return nn.Sequential(*layers), (torch.randn(1, 3, 64, 64),)


class Encoder(nn.Module):
    """Tokens, positions, four layers of attention, and a summary of the first token."""

    def __init__(self, width: int = 32) -> None:
        super().__init__()
        self.tokens, self.positions = nn.Embedding(50, width), nn.Embedding(16, width)
        layer = nn.TransformerEncoderLayer(width, 4, 2 * width, activation="gelu", batch_first=True)
        self.layers = nn.TransformerEncoder(layer, 4, enable_nested_tensor=False)
        self.norm, self.pooler = nn.LayerNorm(width), nn.Linear(width, width)

    def forward(self, ids: Tensor) -> Tensor:
        places = torch.arange(ids.shape[1])
        found = self.layers(self.norm(self.tokens(ids) + self.positions(places)))
        return torch.tanh(self.pooler(found[:, 0]))


def bert() -> Model:
    return Encoder(), (torch.randint(0, 50, (1, 12)),)


MODELS: dict[str, Callable[[], Model]] = {one.__name__: one for one in (mobilenet_v2, resnet18, bert)}


def make(name: str) -> Model:
    """A model whose norms have statistics of their own, the same each time."""
    torch.manual_seed(0)
    model, inputs = MODELS[name]()
    for layer in model.modules():
        if isinstance(layer, nn.BatchNorm2d):
            assert layer.running_mean is not None and layer.running_var is not None
            layer.running_mean.uniform_(-0.2, 0.2)
            layer.running_var.uniform_(0.5, 1.5)
    return model.eval(), inputs


def decoder(of_bytes: bool = False, attends_floats: bool = False) -> tuple[nn.Module, tuple[Any, ...]]:
    """Two layers with caches of keys and values, of floats or of int8, as language models are exported; a chunk of tokens and its position.

    Args:
        of_bytes: caches are int8.
        attends_floats: these are made floats before attention.
    """
    torch.manual_seed(0)
    sizes = {"dim": 32, "n_layers": 2, "n_heads": 4, "n_kv_heads": 2, "hidden_dim": 64, "vocab_size": 50}
    args = ModelArgs(
        **sizes,
        max_seq_len=DECODED,
        max_context_len=16,
        use_kv_cache=True,
        use_sdpa_with_kv_cache_op=True,
        enable_dynamic_shape=True,
    )
    model = replace_kv_cache_with_custom_kv_cache(construct_transformer(args).eval())
    model = replace_sdpa_with_custom_op(model)
    if of_bytes:
        model = replace_kv_cache_with_quantized_kv_cache(model)
        model = model if attends_floats else replace_sdpa_with_quantized_sdpa(model)
    return model, (torch.randint(0, 50, (1, 3)), {"input_pos": torch.tensor([0])})


#: The most tokens of a call of the decoder, and how many may come.
DECODED = 5
DECODER_SHAPES = ({1: torch.export.Dim("tokens", max=DECODED)}, {"input_pos": None})


#: The operator that linear layers become -> how torchao quantizes them.
QUANTIZED = {
    "linear_q4gsw": IntxWeightOnlyConfig(weight_dtype=torch.int4, granularity=PerGroup(32)),
    "linear_q8csw": IntxWeightOnlyConfig(weight_dtype=torch.int8, granularity=PerAxis(0)),
    "linear_dq8ca_q4gsw": Int8DynamicActivationIntxWeightConfig(
        weight_dtype=torch.int4, weight_granularity=PerGroup(32)
    ),
    "linear_q8gsw": IntxWeightOnlyConfig(weight_dtype=torch.int8, granularity=PerGroup(16)),
    "linear_dq8ca_q8gsw": Int8DynamicActivationIntxWeightConfig(
        weight_dtype=torch.int8, weight_granularity=PerAxis(0)
    ),
}


#: The operator that embeddings become -> how torchao quantizes them.
TABLES = {"embedding_q4gsw": QUANTIZED["linear_q4gsw"], "embedding_q8csw": QUANTIZED["linear_q8csw"]}


def quantized_table(name: str) -> Model:
    """An embedding and a linear layer of the same weights."""
    torch.manual_seed(0)
    table, linear = nn.Embedding(20, 64), nn.Linear(64, 20, bias=False)
    linear.weight = table.weight
    for layer in (table, linear):
        quantize_(layer, TABLES[name], filter_fn=lambda *_: True)
        unwrap_tensor_subclass(layer)
    return nn.Sequential(table, nn.ReLU(), linear).eval(), (torch.randint(0, 20, (2, 3)),)


def quantized(name: str, wide: bool = False) -> Model:
    """Two linear layers that become this operator; wide ones have more outputs and columns than a group of a shader makes or reads at a time."""
    torch.manual_seed(0)
    depth, hidden = (352, 96) if wide else (64, 32)
    model = nn.Sequential(nn.Linear(depth, hidden, bias=False), nn.ReLU(), nn.Linear(hidden, 8))
    quantize_(model, QUANTIZED[name])
    unwrap_tensor_subclass(model)
    return model.eval(), (torch.randn(2, 3, depth),)


def quantized_at_run_time(bits: int) -> Model:
    """Two linear layers whose inputs have one scale, found when they run, as PT2E writes it."""
    torch.manual_seed(0)
    inputs = (torch.randn(2, 3, 64),)
    model = nn.Sequential(nn.Linear(64, 32, bias=False), nn.ReLU(), nn.Linear(32, 8))
    config = get_symmetric_quantization_config(is_dynamic=True, weight_bits=bits)
    quantizer = VulkanQuantizer().set_global(config)
    prepared = prepare_pt2e(torch.export.export(model, inputs).module(), quantizer)
    prepared(*inputs)
    return convert_pt2e(prepared), inputs


class Int8(nn.Module):
    """A layer whose weights are int8 with a scale for each output, or one for all."""

    def __init__(self, layer: nn.Module, by_channel: bool = True) -> None:
        super().__init__()
        weight: Any = layer.weight
        dims = list(range(1, weight.dim())) if by_channel else list(range(weight.dim()))
        scales = weight.detach().abs().amax(dims, keepdim=True) / 127
        self.register_buffer("integers", torch.round(weight.detach() / scales).to(torch.int8))
        self.register_buffer("scales", scales.reshape(-1))
        self.layer, self.by_channel, self.scale = layer, by_channel, float(scales.max())

    def forward(self, x: Tensor) -> Tensor:
        ops: Any = torch.ops.quantized_decomposed
        zeros = torch.zeros(self.integers.shape[0], dtype=torch.int64)
        if self.by_channel:
            weight = ops.dequantize_per_channel(self.integers, self.scales, zeros, 0, -127, 127, torch.int8)
        else:
            weight = ops.dequantize_per_tensor(self.integers, self.scale, 0, -127, 127, torch.int8)
        return torch.func.functional_call(self.layer, {"weight": weight}, (x,))


def rounded(x: Tensor, scale: float, zero_point: int = 3) -> Tensor:
    """As int8, and back."""
    ops: Any = torch.ops.quantized_decomposed
    how = (scale, zero_point, -128, 127, torch.int8)
    found: Tensor = ops.dequantize_per_tensor(ops.quantize_per_tensor(x, *how), *how)
    return found


class StaticInt8(nn.Module):
    """Layers between int8 and int8: strides, groups, a channel each, sums, clamps; odd sizes, so that words cross rows and channels."""

    STEP = 0.02

    def __init__(self) -> None:
        super().__init__()
        self.first = Int8(nn.Conv2d(3, 6, 3, stride=2, padding=1))
        self.own = Int8(nn.Conv2d(6, 6, 3, padding=2, dilation=2, groups=6, bias=False))
        self.pairs = Int8(nn.Conv2d(6, 4, (1, 2), groups=2), by_channel=False)
        self.line = Int8(nn.Conv1d(4, 5, 3, stride=2))
        self.last, self.whole = Int8(nn.Linear(5, 7)), Int8(nn.Linear(8, 6, bias=False))

    def forward(self, x: Tensor, y: Tensor) -> tuple[Tensor, ...]:
        x = rounded(self.first(rounded(x, 0.03)).relu(), self.STEP, -128)
        x = rounded(nn.functional.relu6(rounded(self.own(x), self.STEP) + x), self.STEP, -100)
        x = rounded(self.pairs(x), self.STEP)
        lines = rounded(self.line(rounded(x.flatten(2), self.STEP)), self.STEP)
        places = rounded(lines.transpose(1, 2), self.STEP)
        whole = self.whole(rounded(y, 0.03, 0))
        return rounded(self.last(places), self.STEP), rounded(whole.clamp(-0.5, 0.75), 0.01, 0)


def static_int8() -> Model:
    torch.manual_seed(0)
    return StaticInt8().eval(), (torch.randn(2, 3, 9, 11), torch.randn(5, 8))


class StaticMobileNet(nn.Module):
    """Inverted residuals between int8 and int8, of planes whose rows are whole words (16), and are not (14, 7)."""

    def __init__(self) -> None:
        super().__init__()
        layers = [
            *(nn.Conv2d(3, 8, 3, 2, 1), nn.Conv2d(8, 16, 1), nn.Conv2d(16, 16, 3, 1, 1, groups=16)),
            *(nn.Conv2d(16, 12, 1), nn.Conv2d(12, 24, 1), nn.Conv2d(24, 24, 3, 2, 1, groups=24)),
            *(nn.Conv2d(24, 12, 1), nn.Conv2d(12, 20, 1), nn.Conv2d(20, 20, 3, 1, 1, groups=20)),
            nn.Conv2d(20, 12, 1),
        ]
        for layer in layers:
            nn.init.kaiming_normal_(layer.weight)
        self.layers = nn.ModuleList(Int8(layer) for layer in layers)

    def forward(self, x: Tensor) -> Tensor:
        x = rounded(x, 0.03)
        shortcut = x
        for position, layer in enumerate(self.layers):
            x = layer(x)
            if position % 3:
                x = rounded(nn.functional.relu6(x), 6 / 255, -128)
                continue
            x = rounded(x, 0.04, 5)
            shortcut = rounded(shortcut + x, 0.05) if shortcut.shape == x.shape else x
            x = shortcut
        return x


def static_mobilenet(size: int) -> Model:
    torch.manual_seed(0)
    return StaticMobileNet().eval(), (torch.randn(1, 3, size, size),)


class WithNothing(nn.Module):
    """Parts without elements among others: a constant, and an input."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("nothing", torch.zeros(0))

    def forward(self, x: Tensor, none: Tensor, y: Tensor) -> Tensor:
        return torch.cat([torch.cat([x, none, y], -2), self.nothing, x], -2)


def with_nothing() -> Model:
    return WithNothing(), (torch.randn(3, 2, 5), torch.randn(3, 0, 5), torch.randn(3, 1, 5))


class Rows(nn.Module):
    """Rows of a table that is kept are written by their numbers, and all are read."""

    SHAPES = ({0: torch.export.Dim("count", min=1, max=4)}, {0: torch.export.Dim("count", min=1, max=4)})
    #: Numbers of the rows of each call.
    PLACES = ((0, 3, 1), (2,), (5, -1, 0, 4))

    kept: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("kept", torch.zeros(2, 7, 4))

    def forward(self, x: Tensor, places: Tensor) -> Tensor:
        self.kept[:, places] = x.transpose(0, 1)
        return self.kept * 2


class OwnRows(nn.Module):
    """Rows of what is kept change their places, and what was there before is read later."""

    kept: Tensor
    order: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("kept", torch.arange(4 * 300.0).reshape(4, 300))
        self.register_buffer("order", torch.arange(4))

    def forward(self, places: Tensor) -> tuple[Tensor, ...]:
        before = self.kept.clone()
        self.kept.copy_(self.kept.index_put((places,), self.kept))
        self.order.copy_(self.order.index_put((self.order,), places))
        return before + 1, self.kept * 2, self.order + 1


class Swapped(nn.Module):
    """Two states that each become what the other was."""

    one: Tensor
    other: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("one", torch.tensor([1.0, 2.0]))
        self.register_buffer("other", torch.tensor([3.0, 4.0]))

    def forward(self, x: Tensor) -> Tensor:
        before = self.one.clone()
        self.one.copy_(self.other.clone())
        self.other.copy_(before)
        return self.one * x - self.other


class Dynamic(nn.Module):
    """Sizes are looked up, calculated with, and used."""

    SHAPES = ({0: torch.export.Dim("count", min=2, max=10), 1: torch.export.Dim("length", min=3, max=12)},)

    def __init__(self) -> None:
        super().__init__()
        self.table, self.linear = nn.Embedding(20, 8), nn.Linear(8, 4)

    def forward(self, ids: Tensor) -> tuple[Tensor, ...]:
        x = self.table(ids)
        count, length = ids.shape
        flat = self.linear(x).reshape(count * length, 4)
        half = torch.full((length // 2 + 1, count + length - 2), 2.0)
        places = self.table(torch.arange(length))
        return torch.softmax(flat, -1), torch.cat([x, x * 2], 1).transpose(1, 2), x[:, 1:], places + x, half
