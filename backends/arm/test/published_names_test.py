"""Names that code for released versions imports do what it expects of them."""

import importlib.resources

import pytest
import torch
from torch.fx.passes.infra.pass_base import PassResult
from torch.fx.passes.operator_support import OperatorSupport
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e
from torchao.quantization.pt2e.quantizer import ComposableQuantizer, Quantizer

import executorch.backends.arm as arm
import executorch.backends.arm.tosa.schemas as schemas
from executorch.backends.arm._passes import InsertInt32CastsAfterInt64PlaceholdersPass
from executorch.backends.arm._passes.arm_pass_manager import ArmPass, ArmPassManager
from executorch.backends.arm._passes.arm_pass_utils import get_first_fake_tensor
from executorch.backends.arm.constants import NHWC_INVERSE_ORDER, NHWC_ORDER
from executorch.backends.arm.ethosu import EthosUCompileSpec
from executorch.backends.arm.quantizer import (
    TOSAQuantizer,
    get_symmetric_a8w4_quantization_config,
    get_symmetric_quantization_config,
    is_annotated,
)
from executorch.backends.arm.quantizer.arm_quantizer_utils import SharedQspecQuantizer
from executorch.backends.arm.quantizer.quantization_annotator import annotate_graph
from executorch.backends.arm.test.runner import run_program
from executorch.backends.arm.tosa.compile_spec import TosaCompileSpec
from executorch.backends.arm.tosa.mapping import extract_tensor_meta
from executorch.backends.arm.tosa.specification import (
    Tosa_1_00,
    TosaLoweringContext,
    TosaSpecification,
    get_context_spec,
)
from executorch.backends.arm.util._factory import create_partitioner, create_quantizer, parse_compile_spec
from executorch.backends.arm.vgf import VgfCompileSpec
from executorch.backends.arm.vgf.model_converter import (
    find_model_converter_binary,
    get_model_converter_minimum_version_failure_reason,
    get_model_converter_version_text,
    parse_model_converter_version,
)
from executorch.exir import to_edge_transform_and_lower
from executorch.partitioner import get_lowered_submodules

SPECS = [TosaCompileSpec("TOSA-1.0+INT"), EthosUCompileSpec("ethos-u85-256"), VgfCompileSpec()]


def captured(model, *inputs):
    return torch.export.export(model.eval(), inputs)


def test_the_library_hands_on_its_names():
    assert {"EthosUPartitioner", "VgfQuantizer", "get_symmetric_quantization_config"} <= set(dir(arm))
    for name, (module, attribute) in arm.LAZY_IMPORTS.items():
        assert getattr(arm, name) is getattr(importlib.import_module(module), attribute)
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        _ = arm.Nothing


@pytest.mark.parametrize("spec", SPECS, ids=lambda one: one.get_output_format())
def test_a_compile_spec_leads_to_the_classes_of_its_target(spec):
    again = parse_compile_spec(spec._to_list())
    assert type(again) is type(spec) and again._to_list() == spec._to_list()
    assert again._get_output_format() == spec.get_output_format() and again._get_intermediate_path() is None
    kind = type(spec).__name__.removesuffix("CompileSpec")
    assert type(create_quantizer(spec)).__name__ == f"{kind.replace('Tosa', 'TOSA')}Quantizer"
    assert type(create_partitioner(spec)).__name__ == f"{kind.replace('Tosa', 'TOSA')}Partitioner"


def test_compile_specs_of_nobody_are_refused():
    with pytest.raises(ValueError, match="no compile specs of tosa, vela, vgf"):
        parse_compile_spec([])


def test_additional_checks_reach_the_partitioner():
    class Nothing(OperatorSupport):
        def is_node_supported(self, submodules, node):
            return False

    spec = TosaCompileSpec("TOSA-1.0+FP")
    for checks, delegates in ((None, 1), ([Nothing()], 0)):
        exported = captured(torch.nn.ReLU(), torch.randn(2, 3))
        edge = to_edge_transform_and_lower(exported, partitioner=[create_partitioner(spec, checks)])
        assert len(get_lowered_submodules(edge.exported_program().graph_module)) == delegates


def test_the_passes_before_annotation_keep_the_results():
    class Model(torch.nn.Module):
        def forward(self, x):
            return (x * 3 - 0.5) / 4

    x = torch.randn(2, 3)
    module = ArmPassManager(SPECS[0]).transform_for_annotation_pipeline(captured(Model(), x).module())
    calls = [node for node in module.graph.nodes if node.op == "call_function"]
    assert all(not isinstance(one, int | float) for node in calls for one in node.args)
    torch.testing.assert_close(module(x), Model()(x))


def test_whether_a_node_is_annotated():
    module = captured(torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Sigmoid()), torch.randn(2)).module()
    quantizer = TOSAQuantizer(SPECS[0]).set_global(get_symmetric_a8w4_quantization_config())
    quantizer.set_module_type(torch.nn.Sigmoid, None).annotate(module)
    found = {
        str(node.target): is_annotated(node) for node in module.graph.nodes if node.op == "call_function"
    }
    assert found["aten.relu.default"] and not found["aten.sigmoid.default"]


def test_what_a_node_is():
    nodes = {node.name: node for node in captured(torch.nn.Linear(3, 4), torch.randn(2, 3)).graph.nodes}
    assert get_first_fake_tensor(nodes["linear"]).shape == (2, 4)
    dtype, shape = extract_tensor_meta(nodes["linear"].meta)
    assert shape == (2, 4) and dtype.name == "FP32" if hasattr(dtype, "name") else dtype is not None
    with pytest.raises(ValueError, match=r"TOSA has no torch\.complex64"):
        extract_tensor_meta({"val": torch.ones(1, dtype=torch.complex64)})
    with pytest.raises(ValueError, match="no tensor"):
        extract_tensor_meta({"val": 3})


def test_indices_of_int64_are_delegated_behind_a_cast():
    exported = captured(torch.nn.Embedding(9, 3), torch.tensor([[1, 2, 8]]))
    inputs = (torch.tensor([[0, 5, 8]]),)
    delegates = []
    for passes in ([], [InsertInt32CastsAfterInt64PlaceholdersPass()]):
        edge = to_edge_transform_and_lower(
            exported,
            transform_passes=passes,
            partitioner=[create_partitioner(TosaCompileSpec("TOSA-1.0+FP"))],
        )
        program = edge.exported_program()
        delegates.append(len(get_lowered_submodules(program.graph_module)))
    assert delegates == [0, 1]
    (found,), _ = run_program(program, inputs)
    torch.testing.assert_close(found, exported.module()(*inputs))


def test_orders_of_dimensions():
    x = torch.randn(2, 3, 4, 5)
    assert x.permute(NHWC_ORDER).shape == (2, 4, 5, 3)
    assert torch.equal(x.permute(NHWC_ORDER).permute(NHWC_INVERSE_ORDER), x)


def test_the_specification_of_a_context():
    outer, inner = (TosaSpecification.create_from_string(f"TOSA-1.0+{one}") for one in ("INT", "FP"))
    assert isinstance(outer, Tosa_1_00)
    with TosaLoweringContext(outer):
        with TosaLoweringContext(inner):
            assert get_context_spec() == inner
        assert get_context_spec() == outer
    with pytest.raises(RuntimeError, match="TosaLoweringContext"):
        get_context_spec()


@pytest.mark.parametrize(
    "spec", ["TOSA-1.0+FP+FP", "TOSA-1.1.0+INT+FP+INT", "TOSA-1.0+int16", "TOSA-1.0+FP+int16"]
)
def test_specifications_that_are_none(spec):
    with pytest.raises(ValueError, match=r"twice|no profile|needs profile"):
        TosaSpecification.create_from_string(spec)


def test_the_schema_is_a_resource():
    text = (importlib.resources.files(schemas) / "tosa_1.0.fbs").read_text()
    assert 'file_identifier "TOSA"' in text and "root_type TosaGraph" in text
    with pytest.raises(FileNotFoundError, match=r"no schema tosa_0.80.fbs; there is tosa_1\.0\.fbs"):
        importlib.resources.files(schemas) / "tosa_0.80.fbs"


def test_the_converter_is_found_and_says_its_version():
    assert find_model_converter_binary() is not None
    version = parse_model_converter_version(get_model_converter_version_text())
    assert version >= (0, 10, 0)
    old = get_model_converter_minimum_version_failure_reason(
        "model-converter 0.2.1", (0, 10), requirement_name="this"
    )
    assert old == "this needs model-converter 0.10; there is 0.2.1"
    assert (
        get_model_converter_minimum_version_failure_reason("0.10.0", (0, 10), requirement_name="this") is None
    )


@pytest.mark.parametrize("fold", [True, False])
def test_weights_of_four_bits(fold):
    quantizer = TOSAQuantizer(SPECS[0]).set_global(get_symmetric_a8w4_quantization_config(is_qat=False))
    inputs = (torch.randn(2, 8),)
    module = captured(torch.nn.Linear(8, 4), *inputs).module()
    converted = quantizer._quantize_with_submodules(module, [inputs], False, fold)
    integers = [one for one in converted.buffers() if one.dtype is torch.int8]
    assert [int(one.abs().max()) for one in integers] == ([7] if fold else [])


def test_passes_say_what_has_to_follow():
    class Second(ArmPass):
        pass

    class First(ArmPass):
        _passes_required_after = {Second}

    manager = ArmPassManager(SPECS[0])
    manager.add_pass([First(), Second()])
    manager.validate_constraints_mandatory()
    manager.add_pass(First())
    with pytest.raises(RuntimeError, match="not met:\n  - Second must run after First"):
        manager.validate_constraints_mandatory()


def test_passes_are_inserted_beside_others():
    ran = []

    class Noted(ArmPass):
        def __init__(self, name):
            super().__init__()
            self.name = name

        def call(self, graph_module):
            ran.append(self.name)
            return PassResult(graph_module, False)

    class First(Noted):
        pass

    class Last(Noted):
        _passes_required_after = {Noted}

    manager = ArmPassManager(SPECS[0])
    manager.insert_passes_after(Last, [Noted("y")])
    manager.insert_passes_before(First, [Noted("a"), Noted("b")])
    manager.insert_passes_before(First, [Noted("c")])
    manager.insert_passes_after(First, [Noted("x")])
    manager.add_pass([First("first"), Last("last")])
    manager.validate_constraints_mandatory()
    module = captured(torch.nn.ReLU(), torch.randn(2)).graph_module
    for _ in range(2):
        ran.clear()
        manager(module)
        assert ran == ["a", "b", "c", "first", "x", "last", "y"]
    manager.insert_passes_after(Noted, [First("another")])
    manager.passes = [Last("last")]
    with pytest.raises(ValueError, match="Noted not found; passes that are there: Last"):
        manager(module)


def test_a_graph_is_annotated_without_a_quantizer():
    module = captured(torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Sigmoid()), torch.randn(2)).module()
    annotate_graph(module, get_symmetric_a8w4_quantization_config(), lambda node: "relu" in node.name)
    found = {node.name: is_annotated(node) for node in module.graph.nodes if node.op == "call_function"}
    assert found["relu"] and not found["sigmoid"]


@pytest.mark.parametrize("spec", SPECS, ids=lambda one: one.get_output_format())
def test_compile_specs_are_equal_if_they_say_the_same(spec):
    again = type(spec)._from_list(spec._to_list())
    assert again == spec and again != next(one for one in SPECS if one is not spec)
    assert again.dump_intermediate_artifacts_to("there") != spec
    with pytest.raises(ValueError, match="No tosa_spec in compile spec"):
        type(spec)._from_list([one for one in spec._to_list() if one.key != "tosa_spec"])
    others = next(one for one in SPECS if one is not spec)
    with pytest.raises(ValueError, match="Incorrect output format"):
        type(spec)._from_list(others._to_list())


class _Sums(Quantizer):
    def annotate(self, model):
        annotate_graph(
            model, get_symmetric_quantization_config(), lambda node: node.target is torch.ops.aten.add.Tensor
        )
        return model

    def validate(self, model):
        pass


class _Moves(torch.nn.Module):
    def forward(self, x, y):
        moved = (x + x).clone().permute(1, 0)
        return torch.maximum(moved, y.flatten(1)), (y * 2).clone().tanh()


def test_what_moves_data_has_the_scale_of_what_is_around_it():
    inputs = (torch.rand(3, 2), torch.rand(2, 3))
    captured = torch.export.export(_Moves(), inputs).module()
    prepared = prepare_pt2e(captured, ComposableQuantizer([_Sums(), SharedQspecQuantizer()]))
    prepared(*inputs)
    converted = convert_pt2e(prepared)
    scales = {}
    for node in converted.graph.find_nodes(
        op="call_function", target=torch.ops.quantized_decomposed.quantize_per_tensor.default
    ):
        scales[node.args[0].name] = node.args[1]
    assert {*scales} == {"x", "add", "clone", "permute", "y", "flatten", "maximum"}
    assert len({scales[name] for name in scales if name != "x"}) == 1
    left = captured.graph.find_nodes(op="call_function", target=torch.ops.aten.clone.default)
    assert [is_annotated(node) for node in left] == [True, False]
    alone = SharedQspecQuantizer([torch.ops.aten.clone.default])
    assert alone.targets == [torch.ops.aten.clone.default]
    assert torch.ops.aten.maximum.default in SharedQspecQuantizer.SHARED_QSPEC_OPS_DEFAULT
