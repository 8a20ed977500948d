"""Behaviour behind the less travelled documented paths."""

import json
from typing import ClassVar

import pytest
import torch
from torch.export.graph_signature import ExportGraphSignature
from torchgen.model import SchemaKind

from executorch.dialects.verifiers import EdgeVerifier
from executorch.exir import to_edge
from executorch.exir._program_utils import _get_updated_graph_signature, _get_updated_range_constraints
from executorch.exir._serialize._flatbuffer_program import _program_to_flatbuffer
from executorch.exir._serialize._program import _program_to_json
from executorch.exir.capture._capture import patch_forward
from executorch.exir.capture._unlift import unlift_exported_program_lifted_states
from executorch.exir.dialects.edge import _ops as edge_ops_path
from executorch.exir.dialects.edge._ops import _edge_dialect_info
from executorch.exir.dialects.edge.dtype.supported import regular_tensor_dtypes_to_str
from executorch.exir.dialects.edge.op.api import get_callable, to_variant
from executorch.exir.dialects.edge.spec.gen import get_sample_input, get_test_gen_key
from executorch.exir.error import ExportError
from executorch.exir.graph import ExportGraph
from executorch.exir.graph_module import _get_submodule
from executorch.exir.operator.convert import _get_overload_schema
from executorch.exir.operator.manip import ScratchTensorMetadata, attach_get_scratch_metas_fn
from executorch.exir.pass_manager import PassManager
from executorch.exir.passes import LegalizePortableDimOrderPass, ReplaceSymSizeOpPass
from executorch.exir.passes.constant_prop_pass import (
    create_constant_nodes_and_return_specs,
    get_propagated_const_tensor_dict,
)
from executorch.exir.passes.convert_constant_dim_order_pass import convert_constant_dim_order_pass
from executorch.exir.passes.remove_mixed_type_operators import RemoveMixedTypeOperators
from executorch.exir.program._fake_program import get_fake_program, update_to_real_program
from executorch.exir.program._program import _transform
from executorch.exir.schema import Double, EValue, Program
from executorch.exir.tensor_layout import TensorLayout
from executorch.exir.tracer import _default_decomposition_table

aten = torch.ops.aten


def test_variants_of_an_operator():
    add = get_callable("add.Tensor")
    assert to_variant(add, SchemaKind.out) is aten.add.out
    assert to_variant(aten.add.out, SchemaKind.functional) is add
    assert to_variant(add, SchemaKind.functional) is add
    with pytest.raises(RuntimeError, match="inplace"):
        to_variant(add, SchemaKind.inplace)
    assert str(_get_overload_schema(add).name) == "aten::add.Tensor"
    assert regular_tensor_dtypes_to_str[torch.float16] == "Half"


def test_a_method_in_place_of_forward():
    class Two(torch.nn.Module):
        def forward(self, x):
            return x + 1

        def other(self, x):
            return x * 2

    model, x = Two(), torch.ones(2)
    with patch_forward(model, model.other):
        program = torch.export.export(model, (x,))
    assert torch.equal(program.module()(x), x * 2) and torch.equal(model(x), x + 1)
    with pytest.raises(ExportError, match="own methods"), patch_forward(model, Two().other):
        pass


def test_a_fake_program_has_no_parameters_of_its_own():
    real = torch.export.export(torch.nn.Linear(2, 3), (torch.ones(1, 2),))
    fake = get_fake_program(real)
    assert isinstance(fake.state_dict["weight"], torch._subclasses.FakeTensor)
    assert fake.graph_module is not real.graph_module
    update_to_real_program(fake, real)
    assert fake.state_dict["weight"] is real.state_dict["weight"]


def test_programs_as_json():
    program = (
        to_edge(torch.export.export(torch.nn.ReLU(), (torch.ones(2),))).to_executorch().executorch_program
    )
    text = json.loads(_program_to_json(program))
    plan = text["execution_plan"][0]
    assert plan["name"] == "forward" and plan["values"][0]["val_type"] == "Tensor"
    assert plan["chains"][0]["instructions"][0]["instr_args_type"] == "KernelCall"
    plain = Program(version=0)
    program.execution_plan[0].values.append(EValue(Double(float("-inf"))))
    assert '"double_val": "-inf"' in _program_to_json(program)
    for bad in (0, 3, -8):
        with pytest.raises(ValueError, match="power of two"):
            _program_to_flatbuffer(plain, constant_tensor_alignment=bad)


def test_transform_takes_a_pass_manager():
    edge = to_edge(torch.export.export(torch.nn.ReLU(), (torch.ones(2),)))
    seen: list[torch.fx.GraphModule] = []
    assert edge.transform(PassManager([seen.append])).methods == {"forward"}
    assert len(seen) == 1


def test_transform_with_other_verifiers():
    class Picky(EdgeVerifier):
        dialect = "PICKY"
        seen: ClassVar[list[torch.fx.GraphModule]] = []

        def check_additional(self, gm):
            self.seen.append(gm)

    program = to_edge(torch.export.export(torch.nn.ReLU(), (torch.ones(2),))).exported_program()
    transformed = _transform(program, PassManager([]), override_verifiers=[Picky])
    assert transformed.verifiers == [Picky] and Picky.seen
    assert _transform(program, PassManager([])).verifiers == program.verifiers


def test_reductions_get_contiguous_inputs():
    class Mean(torch.nn.Module):
        def forward(self, x):
            return (x + x).mean((2, 3))

    example = torch.rand(1, 3, 2, 2)
    copy = "_to_dim_order_copy"
    for value, count in ((example, 0), (example.to(memory_format=torch.channels_last), 1)):
        graph_module = to_edge(torch.export.export(Mean(), (value,))).exported_program().graph_module
        legal = LegalizePortableDimOrderPass()(graph_module).graph_module
        assert sum(copy in str(node.target) for node in legal.graph.nodes) == count
        torch.testing.assert_close(legal(value)[0], Mean()(value))


def test_transposed_constants_become_contiguous():
    class Weights(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.w = torch.nn.Parameter(torch.rand(3, 2).t())

        def forward(self, x):
            return x + self.w

    model, x = Weights(), torch.rand(2, 3)
    program = to_edge(torch.export.export(model, (x,))).exported_program()
    assert convert_constant_dim_order_pass(program) is program
    weight = program.state_dict["w"]
    assert weight.is_contiguous() and isinstance(weight, torch.nn.Parameter) and torch.equal(weight, model.w)


def test_packets_of_sizes_get_an_overload():
    graph = torch.fx.Graph()
    x = graph.placeholder("x")
    graph.output(graph.call_function(aten.sym_size, (x, 0)))
    result = ReplaceSymSizeOpPass()(torch.fx.GraphModule({}, graph))
    assert result.modified and result.graph_module.graph.find_nodes(
        op="call_function", target=aten.sym_size.int
    )


def test_bodies_and_decompositions():
    class Branch(torch.nn.Module):
        def forward(self, p, x):
            return torch.cond(p, lambda x: x + 1, lambda x: x * 2, (x,))

    graph_module = torch.export.export(Branch(), (torch.tensor(True), torch.ones(2))).graph_module
    (node,) = graph_module.graph.find_nodes(op="call_function", target=torch.ops.higher_order.cond)
    name, body, owner = _get_submodule(graph_module, node, 1)
    assert owner is node and getattr(graph_module, name) is body
    with pytest.raises(TypeError, match="control-flow"):
        _get_submodule(graph_module, node, 0)
    old = _default_decomposition_table(_use_old_decomp_table=True)
    assert aten.transpose.int in old and len(_default_decomposition_table()) > len(old)


def test_known_values_become_constants_with_specs():
    class Folds(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(2, 2))
            self.register_buffer("offset", torch.ones(2, 2))

        def forward(self, x):
            return x + (self.weight * 2).exp() + self.weight, self.offset + self.offset

    x = torch.rand(2, 2)
    program = to_edge(torch.export.export(Folds(), (x,))).exported_program()
    known = get_propagated_const_tensor_dict(program, None)
    specs = create_constant_nodes_and_return_specs(known, program)
    placeholders = [node.name for node in program.graph.find_nodes(op="placeholder")]
    # As release 1.5.1 names and orders them.
    assert placeholders == ["p_weight", "_prop_tensor_constant0", "_prop_tensor_constant1", "x"]
    assert list(specs) == ["_prop_tensor_constant0", "_prop_tensor_constant1"]
    assert all(specs[name].target == name and name in program.constants for name in specs)
    assert list(program.state_dict) == ["weight"]
    torch.testing.assert_close(program.constants["_prop_tensor_constant0"], torch.full((2, 2), 2.0))
    constants = (program.constants[name] for name in specs)
    results = program.graph_module(program.state_dict["weight"], *constants, x)
    torch.testing.assert_close(results, Folds()(x))


class _Walked(dict):
    """Counts how often somebody walks over it."""

    walks = 0

    def __iter__(self):
        self.walks += 1
        return super().__iter__()


def test_the_constants_that_are_there_are_counted_once_however_many_come():
    class Folds(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weights = torch.nn.ParameterList([torch.full((2,), float(i)) for i in range(6)])

        def forward(self, x):
            return [x + weight.exp() for weight in self.weights]

    program = to_edge(torch.export.export(Folds(), (torch.rand(2),))).exported_program()
    known = get_propagated_const_tensor_dict(program, None)
    program._constants = _Walked(program.constants)
    assert len(create_constant_nodes_and_return_specs(known, program)) == 6
    assert program.constants.walks <= 2


def test_the_table_of_types_as_it_is_written():
    assert _edge_dialect_info is edge_ops_path._edge_dialect_info  # what a user adds is there for all
    entry = _edge_dialect_info["aten::sigmoid"]
    assert entry["inherits"] == "aten::sigmoid" and entry["type_constraint"] and "T0" in entry["type_alias"]
    with pytest.raises(AttributeError, match="no_such_name"):
        edge_ops_path.no_such_name  # noqa: B018


def test_what_a_graph_says_of_its_program():
    class Relu(torch.nn.Module):
        def forward(self, x):
            return x.relu()

    rows = torch.export.Dim("rows", min=2, max=9)
    program = torch.export.export(Relu(), (torch.ones(4, 3),), dynamic_shapes=({0: rows},))
    assert _get_updated_range_constraints(program.graph_module) == program.range_constraints
    (x,) = program.graph.find_nodes(op="placeholder")
    x.name = "renamed"
    assert _get_updated_graph_signature(program.graph_signature, program.graph_module).user_inputs == (
        "renamed",
    )
    assert program.graph_signature.user_inputs == ("x",)
    with pytest.raises(ValueError, match="inputs"):
        _get_updated_graph_signature(ExportGraphSignature([], []), program.graph_module)


def test_parts_of_the_compiler_that_tools_use():
    graph = torch.fx.Graph()
    module = torch.fx.GraphModule(torch.nn.Module(), graph)
    module.register_buffer("weight", torch.ones(2))
    node = ExportGraph(module, graph).get_attr("weight")
    assert node.meta["spec"].const and list(ExportGraph(module, graph).nodes) == [node]
    scratch = attach_get_scratch_metas_fn(torch.ops.aten.add.out)(
        lambda *args: {"a": ScratchTensorMetadata(torch.int8, torch.Size([2]))}
    )
    assert torch.ops.aten.add.out.get_scratch_metas is scratch
    layout = TensorLayout.from_tensor(torch.ones(1, 2, 3, 4).to(memory_format=torch.channels_last))
    assert layout.sizes == [1, 2, 3, 4] and layout.dim_order == [0, 2, 3, 1]
    with pytest.raises(ValueError, match="contiguous"):
        TensorLayout.from_tensor(torch.ones(2, 3).t())


def test_unlifted_programs_hold_their_state():
    class Count(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("count", torch.zeros(1))

        def forward(self, x):
            self.count.add_(1)
            return x + self.count

    module = unlift_exported_program_lifted_states(torch.export.export(Count(), (torch.ones(1),)))
    assert [module(torch.ones(1)).item() for _ in range(2)] == [2.0, 3.0]


def test_operators_get_arguments_of_one_type():
    def mixed(x, y):
        return x / x, x + y, y * y

    inputs = (torch.tensor([1, 2]), torch.ones(2))
    program = torch.export.export(_Function(mixed), inputs)
    RemoveMixedTypeOperators()(program.graph_module)
    assert [str(target) for target in _targets(program)].count("aten._to_copy.default") == 1  # of x, once
    torch.testing.assert_close(program.module()(*inputs), mixed(*inputs))
    quotient = to_edge(torch.export.export(_Function(lambda x: x / x), inputs[:1]))
    cast = quotient.transform([RemoveMixedTypeOperators()])
    assert "dim_order_ops._to_dim_order_copy.default" in map(str, _targets(cast.exported_program()))


class _Function(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *args):
        return self.function(*args)


def _targets(program):
    return [node.target for node in program.graph.nodes if node.op == "call_function"]


def test_examples_of_casts_are_one_for_each_type():
    key = get_test_gen_key("aten::_to_copy")
    calls = list(get_sample_input(key, "", torch.int32))
    assert {kwargs["dtype"] for _, kwargs in calls} == set(regular_tensor_dtypes_to_str)
    assert all(tensor.dtype == torch.int32 for (tensor,), _ in calls)
