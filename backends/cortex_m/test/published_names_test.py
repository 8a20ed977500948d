"""Names that quantizers written for released versions import do what these expect of them."""

import logging

import pytest
import torch

from executorch.backends.cortex_m.quantizer.node_finders import (
    GlobalNodeFinder,
    InputNodeFinder,
    ModuleNameNodeFinder,
    ModuleTypeNodeFinder,
    NodeNameNodeFinder,
    NodeTargetNodeFinder,
    OutputNodeFinder,
)
from executorch.backends.cortex_m.quantizer.pattern_checkers import PatternCheck
from executorch.backends.cortex_m.quantizer.pattern_matcher import PatternMatcher
from executorch.backends.cortex_m.quantizer.quantization_configs import (
    INT8_PER_CHANNEL_CONFIG,
    INT16_PER_TENSOR_CONFIG,
)
from executorch.backends.cortex_m.quantizer.quantizer import mark_node_as_annotated
from executorch.backends.cortex_m.quantizer_reporter import (
    QuantizerInfo,
    QuantizerReport,
    QuantizerReporter,
    QuantizerReporterUser,
    qspec_repr,
)

aten = torch.ops.aten


class _Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(3, 3)

    def forward(self, x):
        return torch.relu(self.linear(x + x)) * 2


@pytest.fixture
def graph():
    return torch.export.export(_Net(), (torch.ones(2, 3),)).graph_module


@pytest.mark.parametrize(
    ("finder", "names", "told"),
    [
        (NodeNameNodeFinder(["mul", "add"]), ["add", "mul"], "names: mul, add"),
        (NodeTargetNodeFinder(aten.relu.default), ["relu"], "node targets: aten::relu"),
        (InputNodeFinder(), ["p_linear_weight", "p_linear_bias", "x"], "all placeholder nodes"),
        (OutputNodeFinder(), ["output"], "the output node"),
        (ModuleNameNodeFinder("linear"), ["linear"], "module names: linear"),
        (ModuleTypeNodeFinder([torch.nn.Linear]), ["linear"], "module types: Linear"),
        (ModuleNameNodeFinder("conv"), [], "module names: conv"),
    ],
)
def test_finders(graph, finder, names, told):
    assert [node.name for node in finder.find_nodes(graph)] == names
    assert str(finder) == f"{type(finder).__name__} targeting {told}"


class _Never(PatternCheck):
    @classmethod
    def check_pattern(cls, pattern):
        return False


class _NotInInt16(PatternCheck):
    @classmethod
    def check_quantization_config(cls, pattern, quantization_config):
        return quantization_config.input_activation.dtype is not torch.int16


_CHAIN = (aten.linear.default, aten.relu.default)


@pytest.mark.parametrize(
    ("support", "config", "found"),
    [
        (
            {_CHAIN: None, (aten.linear.default,): None, (aten.add.Tensor,): _NotInInt16},
            INT8_PER_CHANNEL_CONFIG,
            [("add", None), ("linear relu", None)],
        ),
        (
            {_CHAIN: _Never, (aten.linear.default,): PatternCheck},
            None,
            [("linear relu", PatternMatcher.REJECT_UNSUPPORTED_PATTERN), ("linear", None)],
        ),
        (
            {(aten.add.Tensor,): _NotInInt16},
            INT16_PER_TENSOR_CONFIG,
            [("add", PatternMatcher.REJECT_UNSUPPORTED_QCONFIG)],
        ),
    ],
)
def test_the_longest_chain_that_is_accepted_counts(graph, support, config, found):
    calls = [node for node in GlobalNodeFinder().find_nodes(graph) if node.op == "call_function"]
    made = list(PatternMatcher(support).find_pattern_matches(iter(calls), config))
    assert [(" ".join(map(str, one.pattern)), one.message) for one in made] == found
    assert [one.accepted for one in made] == [why is None for _, why in found]
    marked = {str(node) for one in made if one.accepted for node in one.pattern}
    assert {str(one) for one in calls if one.meta.get(PatternMatcher.Q_PATTERN_MATCHED_KEY)} == marked


class _User(QuantizerReporterUser):
    def get_quantizer_info(self):
        return QuantizerInfo("Mine", "all", "int8", "a.table")


def test_a_report_says_what_each_quantizer_did(graph, caplog):
    first, second = _User(), _User()
    reporter = QuantizerReporter([first, second])
    nodes = {node.name: node for node in graph.graph.nodes}
    chain = [nodes["linear"], nodes["relu"]]
    spec = INT8_PER_CHANNEL_CONFIG.input_activation
    mark_node_as_annotated(chain[0], {nodes["add"]: spec}, None)
    mark_node_as_annotated(chain[1], {}, spec)
    mark_node_as_annotated(nodes["mul"], {nodes["relu"]: spec}, spec, is_quantized=False)
    first.report_accept(chain)
    second.report_reject([nodes["mul"]], "not today")
    second.report_reject(chain, QuantizerReport._PREVIOUS_ANNOTATION_REJECT_REASON)
    with caplog.at_level(logging.DEBUG):
        reporter.log_quantizer_report(graph)
    lines = caplog.text.splitlines()
    short = qspec_repr(spec)
    assert short == "QuantizationSpec(dtype=INT8, range=(-128,127))"
    assert any(line.split() == ["╒", "linear", "add:", *short.split(), "None"] for line in lines)
    assert any(line.split() == ["╘", "relu", *short.split()] for line in lines)
    assert "   mul          Rejected: not today" in lines
    assert "   Rejected due to previous annotation: 2" in lines
    left = lines[lines.index("Non annotated nodes:") + 1 : -1]
    assert [line.strip() for line in left] == ["p_linear_weight", "p_linear_bias", "x", "add", "output"]
    assert nodes["mul"].meta["quantization_annotation"].output_qspec is None
