"""Names that quantizers written for released versions import do what these expect of them."""

import logging

import pytest
import torch
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e
from torchao.quantization.pt2e.quantizer import Quantizer

from executorch.backends.arm.quantizer.arm_quantizer_utils import PatternQuantizer
from executorch.backends.cortex_m.passes.cortex_m_pass_manager import CortexMPassManager
from executorch.backends.cortex_m.passes.decompose_mean_pass import DecomposeMeanPass
from executorch.backends.cortex_m.quantizer.node_finders import (
    GlobalNodeFinder,
    InputNodeFinder,
    ModuleNameNodeFinder,
    ModuleTypeNodeFinder,
    NodeNameNodeFinder,
    NodeTargetNodeFinder,
    OutputNodeFinder,
)
from executorch.backends.cortex_m.quantizer.pattern_checkers import CortexMAddMulCheck, PatternCheck
from executorch.backends.cortex_m.quantizer.pattern_matcher import PatternMatcher
from executorch.backends.cortex_m.quantizer.quantization_configs import (
    INT8_PER_CHANNEL_CONFIG,
    INT16_PER_TENSOR_CONFIG,
)
from executorch.backends.cortex_m.quantizer.quantizer import mark_node_as_annotated
from executorch.backends.cortex_m.quantizer.quantizer_support import BINARY_OP_PATTERNS
from executorch.backends.cortex_m.quantizer_reporter import (
    QuantizerInfo,
    QuantizerReport,
    QuantizerReporter,
    QuantizerReporterUser,
    qspec_repr,
)
from executorch.backends.cortex_m.test.models import lowered, operators

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


class _Vendor(Quantizer):
    """As a vendor of chips has it: the passes of the manager, then patterns of a table."""

    def __init__(self, config, support):
        matcher = PatternMatcher(support, support_dict_name="vendor.table")
        assert (matcher.support_dict, matcher.support_dict_name) == (support, "vendor.table")
        self.patterns = PatternQuantizer(config, GlobalNodeFinder(), matcher)

    def transform_for_annotation(self, model):
        return _Manager(None).transform_for_annotation(model)

    def annotate(self, model):
        return self.patterns.annotate(model)

    def validate(self, model):
        self.patterns.validate(model)


class _Renamed:
    """A pass of the vendor's, behind the usual ones: numbers are tensors there."""

    def __call__(self, model):
        assert not [one for node in model.graph.nodes for one in node.args if isinstance(one, float)]
        model.meta["seen by"] = "vendor"
        return torch.fx.passes.infra.pass_base.PassResult(model, False)


class _Manager(CortexMPassManager):
    pass_list_transform_for_annotation = [*CortexMPassManager.pass_list_transform_for_annotation, _Renamed]


def test_a_quantizer_of_patterns_is_lowered_as_ours():
    model, example = _Net(), (torch.ones(2, 3),)
    support = {_CHAIN: None, (aten.add.Tensor,): CortexMAddMulCheck, (aten.mul.Tensor,): CortexMAddMulCheck}
    captured = torch.export.export(model, example).module()
    prepared = prepare_pt2e(captured, _Vendor(INT8_PER_CHANNEL_CONFIG, support))
    prepared(*example)
    program = torch.export.export(convert_pt2e(prepared), example)
    names = operators(lowered(program).exported_program())
    assert {"cortex_m::quantized_linear", "cortex_m::quantized_add", "cortex_m::quantized_mul"} <= set(names)
    assert not [one for one in names if one.startswith("aten::")]
    torch.testing.assert_close(program.module()(*example), model(*example), atol=0.05, rtol=0)


def test_passes_before_annotation_can_be_extended():
    captured = torch.export.export(_Net(), (torch.ones(2, 3),)).module()
    assert CortexMPassManager(None).transform_for_annotation(captured) is captured
    assert _Manager(None).transform_for_annotation(captured).meta["seen by"] == "vendor"


def test_a_config_of_none_leaves_a_pattern_in_floating_point():
    captured = torch.export.export(_Net(), (torch.ones(2, 3),)).module()
    prepared = prepare_pt2e(captured, _Vendor(None, {_CHAIN: None}))
    assert not [node for node in prepared.graph.nodes if "activation_post_process" in str(node.target)]


def _sum_of(graph, **changed):
    (node,) = graph.graph.find_nodes(op="call_function", target=aten.add.Tensor)
    node.kwargs = changed
    return [node]


@pytest.mark.parametrize(("alpha", "accepted"), [(1, True), (-3, True), (0, False), (0.5, False)])
def test_sums_with_a_whole_factor_are_taken(graph, alpha, accepted):
    assert CortexMAddMulCheck.check_pattern(_sum_of(graph, alpha=alpha)) == accepted


def test_sums_are_of_int8(graph):
    check = CortexMAddMulCheck.check_quantization_config
    assert check(_sum_of(graph), INT8_PER_CHANNEL_CONFIG) and check(_sum_of(graph), None)
    assert not check(_sum_of(graph), INT16_PER_TENSOR_CONFIG)
    assert PatternCheck.is_per_channel(INT8_PER_CHANNEL_CONFIG.weight)
    assert not PatternCheck.is_per_tensor(INT8_PER_CHANNEL_CONFIG.weight)


@pytest.mark.parametrize(
    ("dims", "keeps", "dtype", "is_pooled"),
    [
        ([2, 3], False, None, True),
        ([-1, -2], True, None, True),
        ([1], False, None, False),
        ([0, 2, 3], False, None, False),
        ([2, 3], False, torch.float64, False),
    ],
)
def test_the_mean_of_whole_images_is_a_pool(dims, keeps, dtype, is_pooled):
    class Mean(torch.nn.Module):
        def forward(self, x):
            return x.mean(dims, keeps, dtype=dtype)

    x = torch.randn(2, 3, 4, 5)
    made = DecomposeMeanPass()(torch.export.export(Mean(), (x,)).module()).graph_module
    targets = {node.target for node in made.graph.nodes}
    assert (aten.avg_pool2d.default in targets) == is_pooled != (aten.mean.dim in targets)
    torch.testing.assert_close(made(x), Mean()(x))


def test_the_mean_of_a_batch_of_any_size_stays():
    class Mean(torch.nn.Module):
        def forward(self, x):
            return x.mean([2, 3])

    shapes = ({0: torch.export.Dim("batch", min=1, max=8)},)
    module = torch.export.export(Mean(), (torch.randn(2, 3, 4, 5),), dynamic_shapes=shapes).module()
    assert not DecomposeMeanPass()(module).modified


def test_patterns_of_sums_and_products():
    assert BINARY_OP_PATTERNS[(aten.add.Tensor,)] is CortexMAddMulCheck
    behind = {
        op: {one[1] for one in BINARY_OP_PATTERNS if len(one) == 2 and one[0] is op}
        for op in (aten.add.Tensor, aten.add_.Tensor, aten.mul.Tensor)
    }
    assert aten.relu.default in behind[aten.add.Tensor]
    assert behind[aten.add.Tensor] == behind[aten.add_.Tensor] == behind[aten.mul.Tensor]
