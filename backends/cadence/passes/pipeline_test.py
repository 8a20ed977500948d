"""All passes of each mode over whole models: valid edge programs, the same numbers, and fewer operators."""

import pytest
import torch

import executorch.backends.cadence.reference.operators  # noqa: F401 (what cadence:: calculates)
from executorch.backends.cadence.compile_mode import CompileMode, EdgePassesConfig
from executorch.backends.cadence.passes.pipeline import (
    STAGES,
    apply_exir_ops_passes,
    apply_torch_ops_passes,
    get_passes,
)
from executorch.backends.cadence.passes.replace_convolutions import ReplaceConvWithIm2RowAndLinear
from executorch.backends.cadence.passes.type_dispatch import CompileTimeTypeDispatchPass
from executorch.exir import to_edge

nn = torch.nn


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention, self.norm = nn.MultiheadAttention(8, 2, batch_first=True), nn.LayerNorm(8)

    def forward(self, x):
        return self.norm(x + self.attention(x, x, x)[0])


class Mixed(nn.Module):
    def forward(self, x):
        first, second = x.split([3, 5], -1)
        joined = torch.cat([first * 2, nn.functional.gelu(second, approximate="tanh") ** 2], -1)
        padded = nn.functional.pad(x, (1, -2))
        return joined.permute(0, 2, 1).mean(1).repeat(1, 2), padded, x.clone()[:, 0:1].squeeze(1)


MODELS = {
    "image": (
        nn.Sequential(
            nn.Conv2d(3, 6, 3, padding=1),
            nn.BatchNorm2d(6),
            nn.ReLU(),
            nn.Conv2d(6, 6, 3, groups=6),
            nn.AdaptiveAvgPool2d(1),
            nn.Flatten(),
            nn.Linear(6, 5),
            nn.Softmax(-1),
        ),
        (1, 3, 9, 9),
    ),
    "rows": (
        nn.Sequential(
            nn.Conv1d(4, 8, 3), nn.ReLU(), nn.AvgPool1d(2), nn.ConvTranspose1d(8, 4, 3, 2), nn.Conv1d(4, 2, 9)
        ),
        (1, 4, 10),
    ),
    "layers": (nn.Sequential(nn.Linear(6, 7), nn.Tanh(), nn.Linear(7, 3)), (5, 6)),
    "attention": (Attention(), (2, 5, 8)),
    "mixed": (Mixed(), (2, 4, 8)),
}


def lowered(name, mode, config=None):
    model, sizes = MODELS[name]
    x = torch.rand(sizes) + 0.5
    program = torch.export.export(model.eval(), (x,))
    edge = to_edge(apply_torch_ops_passes(program))
    expected = edge.exported_program().module()(x)
    made = apply_exir_ops_passes(mode, edge, config).exported_program()
    torch.testing.assert_close(made.module()(x), expected, rtol=1e-4, atol=1e-5)
    return [str(node.target.__name__) for node in made.graph.nodes if hasattr(node.target, "__name__")]


@pytest.mark.parametrize("name", MODELS)
def test_numbers_are_the_same_in_every_mode(name):
    few = lowered(name, CompileMode.MINIMAL)
    assert not {"aten.convolution.default", "aten.mm.default", "aten.avg_pool1d.default"} & set(few)
    default = lowered(name, CompileMode.DEFAULT)
    assert lowered(name, CompileMode.SIZE) == default  # nothing is quantized
    if name not in ("mixed", "rows"):  # where one operator is taken apart, and where views stand around it
        assert len(default) < len(few)


def test_convolutions_are_products_of_windows_on_request():
    names = lowered("image", CompileMode.DEFAULT, EdgePassesConfig(use_im2row_transform=True))
    assert "cadence.im2row.per_tensor" in names


def test_what_runs_in_which_mode():
    minimal, default, size = (get_passes(mode) for mode in ("minimal", CompileMode.DEFAULT, "size"))
    assert [one for one in size if one not in default] == [CompileTimeTypeDispatchPass]
    assert len(minimal) < len(default) and set(minimal) <= set(default)
    assert ReplaceConvWithIm2RowAndLinear not in default
    assert len({stage.name for stage in STAGES}) == len(STAGES)
    with pytest.raises(ValueError, match="fastest"):
        get_passes("fastest")
