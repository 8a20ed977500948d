"""The program managers: methods, transforms, delegation, files."""

import io
import operator
import sys

import pytest
import torch
from torch import nn
from torch.fx.passes.infra.pass_manager import PassManager as TorchPassManager

from executorch.dialects import memory
from executorch.exir import (
    EdgeCompileConfig,
    EdgeProgramManager,
    ExecutorchBackendConfig,
    ExportError,
    ExportPass,
    to_edge,
    to_edge_transform_and_lower,
    to_edge_with_preserved_ops,
)
from executorch.exir.dialects._ops import ops
from executorch.exir.error import (
    MissingOutVariantError,
    PassError,
    SpecViolationError,
    UnboundedShapeError,
    UnknownMethodError,
)
from executorch.exir.interpreter_for_tests import ExecutionInterpreter
from executorch.exir.pass_base import PassResult
from executorch.exir.pass_manager import PassManager
from executorch.exir.passes import HintBasedSymShapeEvalPass, MemoryPlanningPass
from executorch.exir.passes.sym_shape_eval_pass import ConstraintBasedSymShapeEvalPass
from executorch.partitioner import (
    BackendDetails,
    DelegationSpec,
    Partitioner,
    PartitionResult,
    PreprocessResult,
    tag_constant_data,
    to_backend,
)

X = torch.rand(2, 3)


class _Add(nn.Module):
    def forward(self, x):
        return x + 1


class _Linear(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)

    def forward(self, x):
        return torch.sin(self.linear(x)) * 2


def _export(model, *inputs, **options):
    return torch.export.export(model.eval(), inputs, **options)


def _operators(program):
    return [str(node.target) for node in program.graph.nodes if node.op == "call_function"]


# ---- methods ----------------------------------------------------------------------------------------------------


def test_one_program_is_forward():
    edge = to_edge(_export(_Add(), X))
    assert edge.methods == {"forward"} and edge.config_methods == set()
    assert edge.exported_program().dialect == "EDGE"


def test_many_methods_and_constants():
    edge = to_edge(
        {"double": _export(_Add(), X), "line": _export(_Linear(), X)},
        constant_methods={"get_size": 7, "get_name": "net", "get_table": torch.arange(3.0)},
    )
    executable = edge.to_executorch()
    assert executable.methods == {"double", "line"}
    assert executable.config_methods == {"get_size", "get_name", "get_table"}
    names = [plan.name for plan in executable.executorch_program.execution_plan]
    assert set(names) == executable.methods | executable.config_methods
    assert executable.exported_program("line") is not executable.exported_program("double")


@pytest.mark.parametrize("lower", [False, True])
def test_unknown_methods_are_named(lower):
    manager = to_edge({"a": _export(_Add(), X), "b": _export(_Add(), X)})
    manager = manager.to_executorch() if lower else manager
    with pytest.raises(
        UnknownMethodError, match=r"no method 'nope'; this program has \['a', 'b'\]"
    ) as caught:
        manager.exported_program("nope")
    assert isinstance(caught.value, KeyError)


def test_what_is_not_exported_is_refused():
    with pytest.raises(ExportError, match=r"torch.export.export\(module, example_inputs\)"):
        to_edge(_Add())
    with pytest.raises(ExportError, match="method 'bad' is a _Add"):
        to_edge({"bad": _Add()})


# ---- transform --------------------------------------------------------------------------------------------------


class _SinToCos(ExportPass):
    def call_operator(self, op, args, kwargs, meta):
        op = ops.edge.aten.cos.default if op is ops.edge.aten.sin.default else op
        return super().call_operator(op, args, kwargs, meta)


def test_transform_gives_a_new_manager():
    edge = to_edge(_export(_Linear(), X))
    transformed = edge.transform([_SinToCos()])
    assert isinstance(transformed, EdgeProgramManager)
    assert "aten.sin.default" in _operators(edge.exported_program())
    assert "aten.cos.default" in _operators(transformed.exported_program())
    assert "aten.cos.out" in _operators(transformed.to_executorch().exported_program())


def test_transform_by_method():
    edge = to_edge({"a": _export(_Linear(), X), "b": _export(_Linear(), X)}).transform({"b": [_SinToCos()]})
    assert "aten.sin.default" in _operators(edge.exported_program("a"))
    assert "aten.cos.default" in _operators(edge.exported_program("b"))
    with pytest.raises(UnknownMethodError):
        edge.transform({"c": [_SinToCos()]})
    with pytest.raises(UnknownMethodError):
        to_edge_transform_and_lower({"a": _export(_Linear(), X)}, partitioner={"c": []})


class _BreakDialect(ExportPass):
    def call_operator(self, op, args, kwargs, meta):
        return super().call_operator(torch.ops.aten.cos.default, args[:1], {}, meta)


@pytest.mark.parametrize("manager", [TorchPassManager, PassManager])
@pytest.mark.parametrize("by_method", [False, True])
def test_transform_takes_pass_managers(manager, by_method):
    passes = manager([_SinToCos()])
    edge = to_edge(_export(_Linear(), X)).transform({"forward": passes} if by_method else passes)
    assert "aten.cos.default" in _operators(edge.exported_program())


def test_transforms_are_verified():
    edge = to_edge(_export(_Add(), X))
    with pytest.raises(SpecViolationError, match=r"use ops.edge.aten.cos.default"):
        edge.transform([_BreakDialect()])
    unchecked = edge.transform([_BreakDialect()], EdgeCompileConfig(_check_ir_validity=False))
    assert "aten.cos.default" in _operators(unchecked.exported_program())


def test_constants_made_by_a_pass_become_part_of_the_program():
    class AddTable(ExportPass):
        def call_operator(self, op, args, kwargs, meta):
            result = super().call_operator(op, args, kwargs, meta)
            if op is not ops.edge.aten.sin.default:
                return result
            return super().call_operator(ops.edge.aten.add.Tensor, (result, torch.ones(3)), {}, meta)

    model = _Linear()
    edge = to_edge(_export(model, X)).transform([AddTable()])
    edge.exported_program().validate()
    program = edge.to_executorch().exported_program()
    torch.testing.assert_close(ExecutionInterpreter(program)(X), (torch.sin(model.linear(X)) + 1) * 2)


def test_passes_that_change_the_interface_are_refused():
    def drop_output(graph_module):
        graph_module.graph.output_node().args = ((),)
        return PassResult(graph_module, True)

    with pytest.raises(PassError, match="drop_output changed the interface"):
        to_edge(_export(_Add(), X)).transform([drop_output])


# ---- options of the edge stage ----------------------------------------------------------------------------------


def test_operators_outside_core_aten_are_all_listed():
    class Outside(nn.Module):
        def forward(self, x):
            return torch.special.airy_ai(x), torch.special.hermite_polynomial_h(x, 2)

    with pytest.raises(SpecViolationError) as caught:
        to_edge(_export(Outside(), X))
    text = str(caught.value)
    assert all(
        name in text for name in ("special_airy_ai", "special_hermite_polynomial_h", __file__, "preserve_ops")
    )


def test_exceptions_let_them_pass():
    class Eigenvectors(nn.Module):
        def forward(self, x):
            return torch.linalg.eig(x @ x.T)

    excepted = {"_core_aten_ops_exception_list": [torch.ops.aten.linalg_eig.default]}
    for options in (excepted, {"_check_ir_validity": False}):
        edge = to_edge(_export(Eigenvectors(), X), compile_config=EdgeCompileConfig(**options))
        assert "aten.linalg_eig.default" in _operators(edge.exported_program())


@pytest.mark.parametrize("how", ["config", "function"])
def test_operators_can_be_kept_whole(how):
    linear = torch.ops.aten.linear.default
    if how == "config":
        edge = to_edge(_export(_Linear(), X), compile_config=EdgeCompileConfig(preserve_ops=[linear]))
    else:
        edge = to_edge_with_preserved_ops(_export(_Linear(), X), preserve_ops=[linear])
    assert "aten.linear.default" in _operators(edge.exported_program())
    assert "aten.linear.default" in _operators(edge.transform([_SinToCos()]).exported_program())


def test_dim_orders_can_be_skipped():
    class Clone(nn.Module):
        def forward(self, x):
            return x.clone()

    plain = to_edge(_export(Clone(), X), compile_config=EdgeCompileConfig(_skip_dim_order=True))
    assert _operators(plain.exported_program()) == ["aten.clone.default"]
    assert _operators(to_edge(_export(Clone(), X)).exported_program()) == [
        "dim_order_ops._clone_dim_order.default"
    ]


def test_type_promotion_can_be_skipped():
    class Mixed(nn.Module):
        def forward(self, x, y):
            return x + y

    program = _export(Mixed(), X, torch.ones(3, dtype=torch.int32))
    assert len(_operators(to_edge(program).exported_program())) == 2
    skipped = to_edge(program, compile_config=EdgeCompileConfig(_skip_type_promotion=True))
    assert _operators(skipped.exported_program()) == ["aten.add.Tensor"]


def test_edge_operators_can_be_left_out():
    edge = to_edge(_export(_Add(), X), compile_config=EdgeCompileConfig(_use_edge_ops=False))
    (node,) = edge.exported_program().graph.find_nodes(op="call_function", target=torch.ops.aten.add.Tensor)
    assert node.name == "add"


def test_etrecords_are_refused_with_a_way_out(monkeypatch):
    monkeypatch.setitem(sys.modules, "executorch.devtools.etrecord", None)
    monkeypatch.setattr("executorch.exir.etrecord_hook._record_type", None)
    with pytest.raises(ExportError, match="leave generate_etrecord out"):
        to_edge(_export(_Add(), X), generate_etrecord=True)


# ---- options of the execution stage -----------------------------------------------------------------------------


def test_unbounded_sizes_lower_unless_bounds_are_required():
    program = _export(_Add(), X, dynamic_shapes=({0: torch.export.Dim("rows")},))
    assert to_edge(program).to_executorch().buffer
    config = ExecutorchBackendConfig(sym_shape_eval_pass=ConstraintBasedSymShapeEvalPass(require_bounds=True))
    with pytest.raises(UnboundedShapeError, match="max="):
        to_edge(program).to_executorch(config)
    config = ExecutorchBackendConfig(sym_shape_eval_pass=HintBasedSymShapeEvalPass())
    assert to_edge(program).to_executorch(config).buffer


def test_settings_by_method():
    programs = {"a": _export(_Linear(), X), "b": _export(_Linear(), X)}
    unplanned = MemoryPlanningPass(alloc_graph_input=False)
    config = ExecutorchBackendConfig(passes={"a": [_SinToCos()]}, memory_planning_pass={"b": unplanned})
    executable = to_edge(programs).to_executorch(config)
    assert "aten.cos.out" in _operators(executable.exported_program("a"))
    assert "aten.sin.out" in _operators(executable.exported_program("b"))
    inputs = {
        name: executable.exported_program(name).graph.find_nodes(op="placeholder")[-1] for name in programs
    }
    assert inputs["a"].meta["spec"].mem_offset is not None and inputs["b"].meta["spec"].mem_offset is None


def test_missing_out_variants_are_all_listed():
    with torch.library._scoped_library("managers_test", "DEF") as library:
        for name in ("one", "two"):
            library.define(f"{name}(Tensor x) -> Tensor")
            library.impl(name, torch.clone, "CompositeExplicitAutograd")
            torch.library.register_fake(f"managers_test::{name}", torch.empty_like, lib=library)

        class Custom(nn.Module):
            def forward(self, x):
                return torch.ops.managers_test.two(torch.ops.managers_test.one(x))

        edge = to_edge(_export(Custom(), X))
        assert "managers_test.one.default" in _operators(edge.exported_program())
        with pytest.raises(MissingOutVariantError) as caught:
            edge.to_executorch()
        assert "managers_test.one" in str(caught.value) and "managers_test.two" in str(caught.value)


def test_custom_operators_with_out_variants_lower():
    with torch.library._scoped_library("managers_test2", "DEF") as library:
        library.define("op(Tensor x) -> Tensor")
        library.define("op.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)")
        library.impl("op", lambda x: x * 3, "CompositeExplicitAutograd")
        torch.library.register_fake("managers_test2::op", torch.empty_like, lib=library)

        class Custom(nn.Module):
            def forward(self, x):
                return torch.ops.managers_test2.op(x)

        program = to_edge(_export(Custom(), X)).to_executorch().exported_program()
        assert _operators(program)[-1] == "managers_test2.op.out"


def test_views_can_be_kept_as_copies():
    class Reshape(nn.Module):
        def forward(self, x):
            return (x + 1).view(3, 2).sin()

    edge = to_edge(_export(Reshape(), X))
    with_views = [node.target for node in edge.to_executorch().exported_program().graph.nodes]
    assert memory.view in with_views
    config = ExecutorchBackendConfig(remove_view_copy=False)
    assert "aten.view_copy.out" in _operators(edge.to_executorch(config).exported_program())


# ---- files ------------------------------------------------------------------------------------------------------


def test_the_ways_to_write_a_program_agree(tmp_path):
    executable = to_edge(_export(_Linear(), X)).to_executorch()
    executable.save(tmp_path / "model.pte")
    stream = io.BytesIO()
    executable.write_to_file(stream)
    assert (tmp_path / "model.pte").read_bytes() == executable.buffer == stream.getvalue()
    with pytest.raises(ValueError, match=r"\.pte"):
        executable.save(tmp_path / "model.bin")
    with pytest.raises(ExportError, match="binary"), (tmp_path / "text.pte").open("w") as file:
        executable.write_to_file(file)


def test_external_constants_go_to_a_file_of_their_own(tmp_path):
    model = _Linear()
    edge = to_edge(_export(model, X))
    weight = model.linear.weight.detach().numpy().tobytes()
    inside = edge.to_executorch()
    # What is the program's own is transposed ahead of time; what stands in another file stays as it is.
    assert model.linear.weight.detach().t().numpy().tobytes() in inside.buffer and not inside.data_files
    outside = edge.to_executorch(ExecutorchBackendConfig(external_constants=lambda node: "weights"))
    assert weight not in outside.buffer
    outside.write_tensor_data_to_file(tmp_path / "data")
    assert weight in (tmp_path / "data" / "weights.ptd").read_bytes()
    assert set(edge.to_executorch(ExecutorchBackendConfig(external_constants=True)).data_files) == {
        "_default_external_constant"
    }
    # Nothing is trained here.
    assert not edge.to_executorch(ExecutorchBackendConfig(external_mutable_weights=True)).data_files


def test_dump_and_maps():
    executable = to_edge(_export(_Linear(), X)).to_executorch()
    text = io.StringIO()
    executable.dump_executorch_program(out=text)
    assert "call aten::sin.out(" in text.getvalue() and "Program(" not in text.getvalue()
    objects = io.StringIO()
    executable.dump_executorch_program(verbose=True, out=objects)
    assert objects.getvalue().startswith("Program(") and "aten::sin" in objects.getvalue()
    handles = executable.debug_handle_map["forward"]
    assert handles and all(handle for handle in handles.values())
    assert executable.executorch_program is executable.program
    assert set(executable.instruction_id_to_num_outs_map) == {"forward"}


# ---- delegation -------------------------------------------------------------------------------------------------


class ListingBackend(BackendDetails):
    """Compiles a subgraph to the list of its operators."""

    @staticmethod
    def preprocess(edge_program, compile_specs):
        return PreprocessResult(processed_bytes="\n".join(_operators(edge_program)).encode())


class _LinearPartitioner(Partitioner):
    """Takes whole linear layers; asks for all of them, or for none but those of a weight of 9 elements."""

    def __init__(self, take=True):
        super().__init__()
        self.take = take

    def partition(self, exported_program):
        tags = {}
        for node in exported_program.graph.nodes:
            if self.take and node.op == "call_function" and "linear" in str(node.target):
                node.meta["delegation_tag"] = f"linear_{node.name}"
                tags[f"linear_{node.name}"] = DelegationSpec("ListingBackend", [])
        tag_constant_data(exported_program)
        return PartitionResult(exported_program, tags)

    def ops_to_not_decompose(self, ep):
        return [torch.ops.aten.linear.default], None


def test_partitioners_get_the_operators_they_asked_for():
    lowered = to_edge_transform_and_lower(_export(_Linear(), X), partitioner=[_LinearPartitioner()])
    operators = _operators(lowered.exported_program())
    assert "executorch_call_delegate" in operators and "aten.sin.default" in operators
    assert lowered.exported_program().graph_module.lowered_module_0.processed_bytes == b"aten.linear.default"
    assert not lowered.exported_program().state_dict
    executable = lowered.to_executorch()
    assert b"aten.linear.default" in executable.buffer


def test_what_no_partitioner_takes_is_decomposed():
    model = _Linear()
    lowered = to_edge_transform_and_lower(_export(model, X), partitioner=[_LinearPartitioner(take=False)])
    operators = _operators(lowered.exported_program())
    assert "aten.linear.default" not in operators and "aten.addmm.default" in operators
    lowered.exported_program().validate()
    program = lowered.to_executorch().exported_program()
    torch.testing.assert_close(ExecutionInterpreter(program)(X), model(X))


def test_to_backend_after_to_edge():
    config = EdgeCompileConfig(preserve_ops=[torch.ops.aten.linear.default])
    edge = to_edge({"a": _export(_Linear(), X), "b": _export(_Linear(), X)}, compile_config=config)
    delegated = edge.to_backend({"b": _LinearPartitioner()})
    assert "executorch_call_delegate" not in _operators(delegated.exported_program("a"))
    assert "executorch_call_delegate" in _operators(delegated.exported_program("b"))
    assert "executorch_call_delegate" in _operators(
        edge.to_backend(_LinearPartitioner()).exported_program("a")
    )
    with pytest.raises(UnknownMethodError):
        edge.to_backend({"c": _LinearPartitioner()})


def test_transforms_come_before_partitioners():
    lowered = to_edge_transform_and_lower(
        {"a": _export(_Linear(), X)},
        transform_passes=[_SinToCos()],
        partitioner={"a": [_LinearPartitioner()]},
    )
    assert "aten.cos.default" in _operators(lowered.exported_program("a"))


def test_delegate_results_are_picked_from_a_tuple():
    lowered = to_edge_transform_and_lower(_export(_Linear(), X), partitioner=_LinearPartitioner())
    program = lowered.to_executorch().exported_program()
    (call,) = program.graph.find_nodes(
        op="call_function", target=torch.ops.higher_order.executorch_call_delegate
    )
    (item,) = call.users
    assert item.target is operator.getitem and item.meta["spec"] is call.meta["spec"][0]


def test_a_lowered_module_writes_itself():
    lowered = to_edge_transform_and_lower(_export(_Linear(), X), partitioner=[_LinearPartitioner()])
    module = lowered.exported_program().graph_module.lowered_module_0
    assert module.buffer()[4:8] == b"ET12" and b"aten.linear.default" in module.buffer()
    assert module.program().execution_plan[0].delegates[0].id == "ListingBackend"


def test_a_lowered_module_is_part_of_another_model():
    linear = nn.Linear(3, 3)
    edge = to_edge(_export(linear, X))
    lowered = to_backend("ListingBackend", edge.exported_program(), [])
    assert lowered.backend_id == "ListingBackend" and lowered.buffer()[4:8] == b"ET12"

    class Composite(nn.Module):
        def __init__(self):
            super().__init__()
            self.lowered = lowered

        def forward(self, x):
            a = self.lowered(x)
            b = self.lowered(a)
            return a, b, a + b

    composite = to_edge(_export(Composite(), X))
    assert _operators(composite.exported_program()).count("executorch_call_delegate") == 2
    plan = composite.to_executorch().executorch_program.execution_plan[0]
    assert [delegate.id for delegate in plan.delegates] == ["ListingBackend"] * len(plan.delegates)
    assert sum(type(call.instr_args).__name__ == "DelegateCall" for call in plan.chains[0].instructions) == 2


def test_a_pass_edits_the_constants_of_the_program_it_was_made_with():
    edge = to_edge(_export(nn.Linear(3, 2), X))
    program = edge.exported_program()

    def double_the_weights(module):
        for name in program.state_dict:
            program.state_dict[name] = nn.Parameter(program.state_dict[name] * 2)
        return PassResult(module, True)

    before = program.module()(X)
    torch.testing.assert_close(
        edge.transform([double_the_weights]).exported_program().module()(X), 2 * before
    )
