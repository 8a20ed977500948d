"""Programs with several methods, weights outside, operators, passes and backends of one's own."""

from functools import partial
from typing import final

import pytest
import torch
from torch import nn
from torch.export import Dim, ExportedProgram, export
from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner
from torch.fx.passes.operator_support import OperatorSupportBase

import executorch.exir as exir
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import (
    EdgeCompileConfig,
    EdgeProgramManager,
    ExecutorchBackendConfig,
    ExecutorchProgramManager,
    to_edge,
    to_edge_transform_and_lower,
)
from executorch.exir.backend.backend_api import to_backend
from executorch.exir.backend.backend_details import BackendDetails, PreprocessResult
from executorch.exir.backend.canonical_partitioners.pattern_op_partitioner import (
    generate_pattern_op_partitions,  # noqa: F401  # the other way to find partitions
)
from executorch.exir.backend.compile_spec_schema import CompileSpec
from executorch.exir.backend.partitioner import DelegationSpec, Partitioner, PartitionResult
from executorch.exir.backend.utils import print_delegated_graph, tag_constant_data
from executorch.exir.dialects._ops import ops as exir_ops
from executorch.exir.pass_base import ExportPass, PassResult
from executorch.exir.passes import MemoryPlanningPass
from executorch.exir.passes.external_constants_pass import delegate_external_constants_pass_unlifted
from executorch.exir.passes.sym_shape_eval_pass import ConstraintBasedSymShapeEvalPass
from executorch.extension.pybindings import portable_lib
from executorch.runtime import Runtime


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(4, 8), nn.Linear(8, 2)

    def forward(self, x):
        return self.second(torch.relu(self.first(x)))


class AddMul(nn.Module):
    def forward(self, a, x, b):
        return torch.mm(a, x) + b


def run(program, *inputs, method="forward", **kwargs):
    return Runtime.get().load_program(program.buffer, **kwargs).load_method(method).execute(list(inputs))


# Methods, shapes, memory.


def test_methods_share_weights_and_state():
    """An encoder and a decoder in one file, each with its partitioner, and constants of the application."""

    class Half(nn.Module):
        def __init__(self, shared, encodes):
            super().__init__()
            self.shared, self.encodes = shared, encodes

        def forward(self, x):
            return self.shared(x) if self.encodes else torch.nn.functional.linear(x, self.shared.weight.t())

    torch.manual_seed(0)
    shared = nn.Linear(4, 4)
    methods = {"encode": Half(shared, True), "decode": Half(shared, False)}
    x = torch.randn(2, 4)
    programs = {name: export(model, (x,)) for name, model in methods.items()}
    manager: EdgeProgramManager = to_edge_transform_and_lower(
        programs,
        partitioner={"encode": [XnnpackPartitioner()], "decode": []},
        constant_methods={"labels": ["a", "b"], "scale": 0.5, "sizes": torch.tensor([4, 4])},
    )
    assert manager.methods == {"encode", "decode"}
    program: ExecutorchProgramManager = manager.to_executorch()
    (encoded,) = run(program, x, method="encode")
    torch.testing.assert_close(encoded, shared(x))
    torch.testing.assert_close(run(program, encoded, method="decode")[0], encoded @ shared.weight)
    assert run(program, method="scale") == [0.5]
    assert run(program, method="labels") == ["a", "b"]
    assert run(program, method="sizes")[0].tolist() == [4, 4]


def test_dynamic_shapes_in_every_form():
    torch.manual_seed(0)
    model, batch = Mlp().eval(), Dim("batch", min=1, max=32)
    for shapes in (
        {"x": {0: batch}},
        ({0: batch},),
        ({0: Dim.DYNAMIC(max=32)},),
        {"x": (Dim.AUTO(max=32), None)},
    ):
        exported = export(model, (torch.randn(3, 4),), dynamic_shapes=shapes)
        program = to_edge_transform_and_lower(exported, partitioner=[XnnpackPartitioner()]).to_executorch(
            ExecutorchBackendConfig(sym_shape_eval_pass=ConstraintBasedSymShapeEvalPass())
        )
        for rows in (1, 32):
            x = torch.randn(rows, 4)
            torch.testing.assert_close(run(program, x)[0], model(x))


def test_a_state_between_calls():
    class Accumulator(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("total", torch.zeros(2))

        def forward(self, x):
            self.total += x
            return self.total * 2

    program = to_edge(export(Accumulator(), (torch.ones(2),))).to_executorch()
    method = Runtime.get().load_program(program.buffer).load_method("forward")
    assert [method.execute([torch.ones(2)])[0].tolist() for _ in range(2)] == [[2.0, 2.0], [4.0, 4.0]]


def test_memory_that_the_caller_gives():
    planned = MemoryPlanningPass(alloc_graph_input=False, alloc_graph_output=False)
    edge = to_edge(export(AddMul(), tuple(torch.ones(2, 2) for _ in range(3))))
    program = edge.to_executorch(ExecutorchBackendConfig(memory_planning_pass=planned))
    plan = program.executorch_program.execution_plan[0]
    assert all(plan.values[index].val.allocation_info is None for index in [*plan.inputs, *plan.outputs])
    assert run(program, *(torch.ones(2, 2) for _ in range(3)))[0].tolist() == [[3.0, 3.0], [3.0, 3.0]]


# Weights outside.


def test_weights_in_a_file_of_their_own(tmp_path):
    torch.manual_seed(0)
    model, x = Mlp().eval(), torch.randn(1, 4)
    program = to_edge(export(model, (x,))).to_executorch(ExecutorchBackendConfig(external_constants=True))
    (tmp_path / "model.pte").write_bytes(program.buffer)
    assert list(program._tensor_data) == ["_default_external_constant"]
    program._tensor_data["weights"] = program._tensor_data.pop("_default_external_constant")
    program.write_tensor_data_to_file(str(tmp_path))
    module = portable_lib._load_for_executorch(str(tmp_path / "model.pte"), str(tmp_path / "weights.ptd"))
    torch.testing.assert_close(module.forward([x])[0], model(x))


@pytest.mark.parametrize("tagged", ["module", "program"])
def test_weights_of_a_delegate_outside(tmp_path, tagged):
    """Tagged in the module before it is exported again, or by a pass of the lowering."""
    torch.manual_seed(0)
    model, x = Mlp().eval(), torch.randn(1, 4)
    exported, passes = export(model, (x,)), []
    if tagged == "module":
        module = exported.module()
        delegate_external_constants_pass_unlifted(module=module, gen_tag_fn=lambda node: "model")
        exported = export(module, (x,))
    else:
        passes = [
            partial(delegate_external_constants_pass_unlifted, ep=exported, gen_tag_fn=lambda node: "model")
        ]
    program = to_edge_transform_and_lower(
        exported,
        transform_passes=passes,
        partitioner=[XnnpackPartitioner()],
        compile_config=EdgeCompileConfig(_check_ir_validity=False),
    ).to_executorch()
    program.write_tensor_data_to_file(str(tmp_path))
    (outputs,) = run(program, x, data_path=tmp_path / "model.ptd")
    torch.testing.assert_close(outputs, model(x))


# Operators and passes.


@torch.library.custom_op("usage::scaled_sum", mutates_args=())
def scaled_sum(a: torch.Tensor, b: torch.Tensor, scale: float) -> torch.Tensor:
    return (a + b) * scale


@scaled_sum.register_fake
def _(a, b, scale):
    return torch.empty_like(a)


_LIBRARY = torch.library.Library("usage", "FRAGMENT")
_LIBRARY.define("scaled_sum.out(Tensor a, Tensor b, float scale, *, Tensor(a!) out) -> Tensor(a!)")


@torch.library.impl(_LIBRARY, "scaled_sum.out", "CompositeExplicitAutograd")
def scaled_sum_out(a, b, scale, *, out):
    return out.copy_((a + b) * scale)


def test_an_operator_of_ones_own():
    class UsesIt(nn.Module):
        def forward(self, a, b):
            return torch.ops.usage.scaled_sum(a, b, 0.5).relu()

    edge = to_edge(export(UsesIt(), (torch.ones(2), torch.ones(2))))
    assert exir_ops.edge.usage.scaled_sum.default in [
        node.target for node in edge.exported_program().graph.nodes
    ]
    program = edge.to_executorch()
    names = [
        (operator.name, operator.overload)
        for operator in program.executorch_program.execution_plan[0].operators
    ]
    assert ("usage::scaled_sum", "out") in names
    with pytest.raises(RuntimeError):  # this process has no kernel for it
        Runtime.get().load_program(program.buffer).load_method("forward")


class AddToMul(ExportPass):
    """The pass of the documentation: every addition becomes a multiplication."""

    def call_operator(self, op, args, kwargs, meta):
        if op != exir_ops.edge.aten.add.Tensor:
            return super().call_operator(op, args, kwargs, meta)
        return super().call_operator(exir_ops.edge.aten.mul.Tensor, args, kwargs, meta)


class DoubleInput(ExportPass):
    """A pass that edits the graph itself."""

    def call(self, graph_module: torch.fx.GraphModule) -> PassResult:
        graph = graph_module.graph
        first = next(node for node in graph.nodes if node.op == "placeholder")
        with graph.inserting_after(first):
            doubled = graph.call_function(exir_ops.edge.aten.add.Tensor, (first, first))
            doubled.meta = first.meta.copy()
        first.replace_all_uses_with(doubled, lambda user: user is not doubled)
        graph_module.recompile()
        return PassResult(graph_module, True)


def test_passes_of_ones_own():
    inputs = tuple(torch.full((2, 2), float(value)) for value in (1, 2, 3))
    edge = to_edge(export(AddMul(), inputs))
    assert run(edge.transform([AddToMul()]).to_executorch(), *inputs)[0].tolist() == [
        [12.0, 12.0],
        [12.0, 12.0],
    ]
    assert run(edge.transform([DoubleInput()]).to_executorch(), *inputs)[0].tolist() == [
        [11.0, 11.0],
        [11.0, 11.0],
    ]
    late = edge.to_executorch(exir.ExecutorchBackendConfig(passes=[AddToMul()]))
    assert run(late, *inputs)[0].tolist() == [[12.0, 12.0], [12.0, 12.0]]


# A backend.


@final
class ListBackend(BackendDetails):
    """Its blob is the list of its operators."""

    @staticmethod
    def preprocess(edge_program: ExportedProgram, compile_specs: list[CompileSpec]) -> PreprocessResult:
        handles, names = {}, []
        for node in edge_program.graph.nodes:
            if node.op == "call_function":
                handles[len(names)] = (node.meta.get("debug_handle"),)
                names.append(node.target.__name__)
        header = b",".join(spec.value for spec in compile_specs)
        return PreprocessResult(
            processed_bytes=header + b":" + ",".join(names).encode(), debug_handle_map=handles
        )


class MatMulAndAdd(OperatorSupportBase):
    def is_node_supported(self, submodules, node):
        return node.op == "call_function" and node.target in (
            exir_ops.edge.aten.mm.default,
            exir_ops.edge.aten.add.Tensor,
            exir_ops.edge.aten.addmm.default,
        )


@final
class ListPartitioner(Partitioner):
    def __init__(self) -> None:
        super().__init__()
        self.delegation_spec = DelegationSpec("ListBackend", [CompileSpec("version", b"1")])

    def partition(self, exported_program: ExportedProgram) -> PartitionResult:
        tags = {}
        found = CapabilityBasedPartitioner(
            exported_program.graph_module, MatMulAndAdd(), allows_single_node_partition=True
        ).propose_partitions()
        for partition in found:
            for node in partition.nodes:
                tag = f"tag{partition.id}"
                node.meta["delegation_tag"] = tag
                tags[tag] = self.delegation_spec
        tag_constant_data(exported_program)
        return PartitionResult(tagged_exported_program=exported_program, partition_tags=tags)


class MulBetween(nn.Module):
    def forward(self, a, x, b):
        y = torch.mm(a, x) + b
        return torch.mm(y.sin(), x) + b


def test_a_backend_and_its_partitioner(capsys):
    inputs = tuple(torch.ones(2, 2) for _ in range(3))
    exported = export(MulBetween(), inputs)
    flows = {
        "together": to_edge_transform_and_lower(exported, partitioner=[ListPartitioner()]),
        "after to_edge": to_edge(exported).to_backend(ListPartitioner()),
    }
    for manager in flows.values():
        print_delegated_graph(manager.exported_program().graph_module)
        assert "ListBackend" in capsys.readouterr().out
        plan = manager.to_executorch().executorch_program.execution_plan[0]
        assert [delegate.id for delegate in plan.delegates] == ["ListBackend"] * 2
        assert [operator.name for operator in plan.operators] == ["aten::sin"]
    with pytest.raises(RuntimeError):  # nothing here can run it
        run(manager.to_executorch(), *inputs)


def test_a_whole_module_for_a_backend():
    """Lowered by name, and put into another module, which is exported in turn."""
    inputs = tuple(torch.ones(2, 2) for _ in range(3))
    lowered = to_backend(
        "ListBackend", to_edge(export(AddMul(), inputs)).exported_program(), [CompileSpec("v", b"2")]
    )
    assert lowered.backend_id == "ListBackend" and lowered.processed_bytes.startswith(b"2:")

    class Around(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = lowered

        def forward(self, a, x, b):
            return self.inner(a, x, b)[0].sigmoid()

    program = to_edge(export(Around(), inputs)).to_executorch()
    plan = program.executorch_program.execution_plan[0]
    assert len(plan.delegates) == 1 and plan.delegates[0].compile_specs[0].key == "v"
