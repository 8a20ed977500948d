"""Weights that torchao compresses: they stay so in the model, and give what PyTorch calculates."""

import copy

import pytest
import torch
from torch.export import export
from torchao.prototype.quantization.codebook_coreml import CodebookWeightOnlyConfig
from torchao.quantization import IntxWeightOnlyConfig, quantize_
from torchao.quantization.granularity import PerAxis, PerGroup

from executorch.backends.apple.coreml.test.lowered import LoweredProgram, lowered, specs

CONFIGS = {
    "int4 by groups": (IntxWeightOnlyConfig(torch.int4, PerGroup(32)), "constexpr_blockwise_shift_scale"),
    "int4 by channels": (IntxWeightOnlyConfig(torch.int4, PerAxis(0)), "constexpr_blockwise_shift_scale"),
    "int8 by channels": (IntxWeightOnlyConfig(torch.int8, PerAxis(0)), "constexpr_affine_dequantize"),
    "tables of 3 bits": (CodebookWeightOnlyConfig(torch.uint3, [16, -1]), "constexpr_lut_to_dense"),
    "tables of 5 bits": (CodebookWeightOnlyConfig(torch.uint5, [16, -1]), "constexpr_lut_to_dense"),
}


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.layer = torch.nn.Embedding(32, 64), torch.nn.Linear(64, 32)

    def forward(self, index):
        return self.layer(self.table(index)).relu()


def _is_compressed(module, name):
    return isinstance(module, torch.nn.Linear | torch.nn.Embedding)


@pytest.mark.parametrize("name", CONFIGS)
def test_weights_stay_compressed(name):
    torch.manual_seed(0)
    config, operator = CONFIGS[name]
    model, inputs = Model().eval(), (torch.tensor([[3, 0, 31]]),)
    plain = copy.deepcopy(model)
    quantize_(model, config, filter_fn=_is_compressed)
    program = lowered(export(model, inputs), lower_full_graph=True).exported_program()
    run = LoweredProgram(program)
    (got,) = run(*inputs)
    torch.testing.assert_close(got, model(*inputs).detach(), atol=1e-4, rtol=1e-4)
    assert operator in run.ran
    (bytes_of_plain,) = _sizes(lowered(export(plain, inputs), lower_full_graph=True).exported_program())
    assert _sizes(program)[0] < (0.6 if "4" in name or "3" in name else 0.7) * bytes_of_plain


def _sizes(program):
    return [
        len(one.processed_bytes) for one in program.graph_module.children() if hasattr(one, "processed_bytes")
    ]


@pytest.mark.parametrize("name", ["int4 by groups", "tables of 3 bits"])
def test_weights_that_the_target_does_not_have_are_an_error_that_names_the_way_out(name):
    model, inputs = Model().eval(), (torch.tensor([[3, 0, 31]]),)
    quantize_(model, CONFIGS[name][0], filter_fn=_is_compressed)
    with pytest.raises(ValueError, match=r"iOS18(.|\n)*CoreMLPartitioner(.|\n)*minimum_deployment_target"):
        lowered(export(model, inputs), specs(ios="iOS17"))


def test_weights_that_are_to_be_left_may_be_newer_than_the_target():
    model, inputs = torch.nn.Linear(64, 64).eval(), (torch.randn(1, 64),)
    quantize_(model, CONFIGS["int4 by groups"][0])
    skipped = ["torchao.dequantize_affine.default"]
    lowered(export(model, inputs), specs(ios="iOS17"), skip_ops_for_coreml_delegation=skipped)
