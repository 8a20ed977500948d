"""Processors and what they have, and the settings of ``to_edge`` for them."""

import dataclasses

import pytest
import torch

from executorch.backends.cortex_m.edge_compile_config import cortex_m_edge_compile_config
from executorch.backends.cortex_m.library import cmsis_nn
from executorch.backends.cortex_m.passes.cortex_m_pass_manager import CortexMPassManager
from executorch.backends.cortex_m.passes.quantized_values import name_of
from executorch.backends.cortex_m.target_config import CortexM, CortexMTargetConfig
from executorch.backends.cortex_m.test.models import inputs, quantized
from executorch.exir import to_edge

# As Arm's reference manuals say: Armv6-M, Armv7-M and Armv8-M Baseline have no DSP extension, Helium came with Armv8.1-M.
BEST = {
    "SCALAR": ("cortex-m0", "cortex-m0plus", "cortex-m3", "cortex-m23"),
    "DSP": ("cortex-m4", "cortex-m7", "cortex-m33", "cortex-m35p"),
    "MVE": ("cortex-m55", "cortex-m85"),
}


@pytest.mark.parametrize("best", BEST)
def test_the_best_that_a_processor_has(best):
    order = list(BEST)
    for name in BEST[best]:
        config = CortexMTargetConfig.from_target_string(name)
        assert config.backend is cmsis_nn.Backend[best] and config.target_string == name
        for isa in order:
            if order.index(isa) <= order.index(best):
                chosen = dataclasses.replace(config, isa=cmsis_nn.Backend[isa])
                assert chosen.backend is cmsis_nn.Backend[isa] and chosen.cpu is config.cpu
            else:
                with pytest.raises(ValueError, match=f"{isa} is not supported by {name}, which has {best}"):
                    CortexMTargetConfig(config.cpu, cmsis_nn.Backend[isa])


@pytest.mark.parametrize("name", ["cortex-m999", "cortex-m55+int8", "arm-m4"])
def test_other_processors_are_refused(name):
    with pytest.raises(ValueError, match="there are cortex-m0,"):
        CortexMTargetConfig.from_target_string(name)


def test_the_passes_know_their_target():
    assert CortexMPassManager().target_config == CortexMTargetConfig(CortexM.M55)
    config = CortexMTargetConfig(cpu=CortexM.M33)
    assert CortexMPassManager(None, target_config=config).target_config == config


def test_what_is_left_whole_is_folded():
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(8, 4)

        def forward(self, x):
            return torch.nn.functional.silu(torch.nn.functional.hardswish(self.linear(x)))

    program = quantized(Model(), inputs((2, 8)))
    edge = to_edge(program, compile_config=cortex_m_edge_compile_config())
    before = [name_of(node) for node in edge.exported_program().graph.nodes]
    assert {"aten::linear", "aten::hardswish", "aten::silu"} <= set(before)
    found = edge.transform([CortexMPassManager()]).exported_program()
    assert {name for name in map(name_of, found.graph.nodes) if name} == {
        "cortex_m::quantize_per_tensor",
        "cortex_m::quantized_linear",
        "cortex_m::quantized_activation",
        "cortex_m::dequantize_per_tensor",
    }


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("cpu", [CortexM.M55, CortexM.M4, CortexM.M0PLUS])
def test_biases_of_linear_layers_stand_where_kernels_of_the_processor_look_for_them(cpu, bias):
    example = inputs((2, 8))
    program = quantized(torch.nn.Linear(8, 4, bias=bias), example)
    passes = CortexMPassManager(target_config=CortexMTargetConfig(cpu))
    found = to_edge(program).transform([passes]).exported_program()
    (layer,) = [node for node in found.graph.nodes if name_of(node) == "cortex_m::quantized_linear"]
    has_bias, has_sums = (one is not None for one in layer.args[2:4])
    assert has_sums == (cpu is CortexM.M55)
    assert has_bias == (bias and cpu is not CortexM.M55)
    # The bias has the offset's part: no kernel adds weights up in the run.
    assert (layer.args[4] == 0) == has_bias
    (result,) = found.graph.output_node().args[0]
    assert float((found.module()(*example) - program.module()(*example)).abs().max()) <= result.args[1] * 1.01
