"""Plans: values are where constraints say, parts lie in the whole, and programs calculate the same in their memories."""

import pytest
import torch

import executorch.backends.cadence.ops.operators  # noqa: F401 (the operators that copy nothing)
from executorch.backends.cadence.aot.compiler import export_to_executorch_gen_etrecord
from executorch.backends.cadence.compile_mode import CompileMode
from executorch.backends.cadence.memory.algorithm import (
    GreedyWithHeuristic,
    MemoryPlanningState,
    PositionBasedGreedyWithHierarchy,
    get_aligned_offset,
)
from executorch.backends.cadence.memory.config import MemoryConfig, get_default_memory_config
from executorch.backends.cadence.memory.constraints import MemConstraints
from executorch.backends.cadence.memory.planning import (
    CadenceMemoryPlanning,
    find_peak_memory_usage,
    find_peak_memory_usages_per_memory,
    print_memory_planning_info,
)
from executorch.dialects import memory
from executorch.dialects.tensor_spec import TensorSpec
from executorch.exir import ExecutorchBackendConfig, to_edge
from executorch.memory_planning.errors import MemoryPlanningError

ATEN = torch.ops.aten
NOPS = (ATEN._cat_nop.out, ATEN._slice_copy_nop.Tensor_out, ATEN._select_copy_nop.int_out)
X, Y = torch.randn(4, 6), torch.randn(2, 6)


def planned(model, *inputs, config=None, **options):
    class Model(torch.nn.Module):
        def forward(self, *args):
            return model(*args)

    planning = CadenceMemoryPlanning(config or get_default_memory_config(), **options)
    edge = to_edge(torch.export.export(Model(), inputs))
    return edge.to_executorch(ExecutorchBackendConfig(memory_planning_pass=planning))


def names(program):
    return [
        str(node.target).removeprefix("aten.")
        for node in program.exported_program().graph.nodes
        if node.op == "call_function" and node.target is not memory.alloc
    ]


def _planned_specs(nodes):
    specs = (node.meta.get("spec") for node in nodes)
    return [spec for spec in specs if isinstance(spec, TensorSpec) and not spec.const]


def run(program, *inputs):
    """What a program calculates in its memories: operators write where the plan says, those without a copy do nothing."""
    graph = program.exported_program().graph
    nodes = list(graph.nodes)
    specs = _planned_specs(nodes)
    count = max(spec.mem_id for spec in specs) + 1
    sizes = [
        max((one.mem_offset + one.nbytes() for one in specs if one.mem_id == mem_id), default=0)
        for mem_id in range(count)
    ]
    arenas = [torch.full((size,), 85, dtype=torch.uint8) for size in sizes]

    def place(node):
        spec = node.meta["spec"]
        if spec.const:
            return spec.data
        piece = arenas[spec.mem_id][spec.mem_offset : spec.mem_offset + spec.nbytes()]
        return piece.view(spec.dtype).view(spec.shape)

    given = [node for node in graph.find_nodes(op="placeholder") if not node.meta["spec"].const]
    for node, value in zip(given, inputs, strict=True):
        place(node).copy_(value)
    for node in nodes:
        if node.op == "call_function" and node.target is not memory.alloc and node.target not in NOPS:
            args, kwargs = torch.fx.node.map_arg((node.args, node.kwargs), place)
            node.target(*args, **kwargs)
    return [place(node).clone() for node in graph.output_node().args[0]]


JOINED = ["add.out", "mul.out", "_cat_nop.out", "neg.out"]
MODELS = {
    "joined": (lambda x, y: -torch.cat([x + x, y * 2]), JOINED),
    "along an inner dimension": (
        lambda x, y: torch.cat([x[:2] + 1, y * 2], 1),
        ["_slice_copy_nop.Tensor_out", "add.out", "mul.out", "cat.out"],
    ),
    "twice the same": (lambda x, y: torch.cat([z := x + 1, z]), ["add.out", "cat.out"]),
    "in two": (
        lambda x, y: torch.cat([z := y + 1, x * 2]).sum() + torch.cat([x * 3, z]).sum(),
        None,
    ),
    "nested": (
        lambda x, y: torch.cat([torch.cat([x + 1, y + 2]), torch.cat([y + 3, x + 4])]) * 2,
        None,
    ),
    "a part of a result": (lambda x, y: (z := x.exp(), z[1:3] + 1, z[3] - 1), None),
    "with steps": (lambda x, y: (x + 1)[::2] * 2, ["add.out", "slice_copy.Tensor_out", "mul.out"]),
    "a part of an input": (lambda x, y: (x[1:3] + y, x), ["_slice_copy_nop.Tensor_out", "add.out"]),
}


@pytest.mark.parametrize("algorithm", [0, 1])
@pytest.mark.parametrize("name", MODELS)
def test_programs_calculate_the_same_in_their_memories(name, algorithm):
    model, left = MODELS[name]
    program = planned(model, X, Y, mem_algo=algorithm)
    if left is not None:
        assert names(program) == left
    expected = model(X, Y)
    expected = expected if isinstance(expected, tuple) else (expected,)
    for got, wanted in zip(run(program, X, Y), expected, strict=True):
        torch.testing.assert_close(got, wanted)


def test_nothing_is_a_part_where_that_is_not_asked_for():
    assert "_cat_nop.out" not in names(planned(MODELS["joined"][0], X, Y, mode=CompileMode.MINIMAL))
    unaligned = planned(lambda x, y: torch.cat([x + 1, y * 2]) * 2, torch.randn(5, 5), torch.randn(3, 5))
    assert "cat.out" in names(unaligned)


@pytest.mark.parametrize("flag", ["alloc_graph_input", "alloc_graph_output"])
def test_what_the_caller_supplies_is_no_part(flag):
    program = planned(lambda x, y: torch.cat([x, y]), X, Y, **{flag: False})
    assert names(program) == ["cat.out"]
    assert names(planned(lambda x, y: torch.cat([x, y]), X, Y)) == ["_cat_nop.out"]


def test_state_stays_where_it_is():
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("state", torch.zeros(4, 6))

        def forward(self, x):
            self.state += x
            return torch.cat([self.state, x + 1]) * 2

    planning = CadenceMemoryPlanning(get_default_memory_config())
    edge = to_edge(torch.export.export(Model(), (X,)))
    program = edge.to_executorch(ExecutorchBackendConfig(memory_planning_pass=planning))
    places = [
        node.meta["spec"]
        for node in program.exported_program().graph.find_nodes(op="placeholder")
        if "state" in node.name
    ]
    assert places and all(spec.storage_base is None for spec in places)


def test_values_spill_into_the_next_memory():
    config = MemoryConfig([120, 10000], [8, 16], ["fast", "slow"])
    program = planned(lambda x, y: torch.exp(x + 1).sum() + y.sum(), X, Y, config=config)
    exported = program.exported_program()
    used = find_peak_memory_usages_per_memory(exported.graph_module, exported.graph_signature, True, True)
    assert 0 < used[1] <= 120 and used[2]
    torch.testing.assert_close(run(program, X, Y)[0], torch.exp(X + 1).sum() + Y.sum())
    with pytest.raises(MemoryPlanningError, match="fits into no memory"):
        planned(lambda x, y: torch.exp(x + 1), X, Y, config=MemoryConfig([100]))


def test_any_alignment():
    config = MemoryConfig([10000], [37])
    program = planned(lambda x, y: torch.exp(x + 1) * 2, X, Y, config=config)
    assert all(one.mem_offset % 37 == 0 for one in _planned_specs(program.exported_program().graph.nodes))
    assert get_aligned_offset(38, 37) == 74


def test_memories_of_a_model_in_one_call():
    model, config = torch.nn.Sequential(torch.nn.Linear(6, 5), torch.nn.ReLU()), MemoryConfig([10000], [37])
    program = export_to_executorch_gen_etrecord(model.eval(), (X,), mem_algo=1, memory_config=config)
    specs = _planned_specs(program.exported_program().graph.nodes)
    assert specs and all(one.mem_offset % 37 == 0 for one in specs)


def test_memories_that_a_value_may_not_be_in():
    class Block:
        def __init__(self, constraints):
            self.constraints = constraints

        def __call__(self, graph_module):
            for node in graph_module.graph.find_nodes(op="call_function", target=ATEN.exp.out):
                self.constraints.add_mem_id_to_blocklist(node.meta["spec"], 1)

    config = MemoryConfig([10000, 10000])
    program = planned(
        lambda x, y: torch.exp(x) + 1, X, Y, config=config, additional_constraint_gen_passes=[Block]
    )
    (node,) = program.exported_program().graph.find_nodes(op="call_function", target=ATEN.exp.out)
    assert node.meta["spec"].mem_id == 2


def node(name, lifetime, *shape):
    made = torch.fx.Graph().placeholder(name)
    made.meta["spec"] = TensorSpec(torch.float32, shape)
    made.meta["spec"].lifetime = list(lifetime)
    return made


@pytest.mark.parametrize("algorithm", [PositionBasedGreedyWithHierarchy, GreedyWithHeuristic])
def test_fixed_places_come_first(algorithm):
    config = MemoryConfig([1000, 10000])
    first, second, third, part = (
        node("a", [0, 2], 4, 4),
        node("b", [0, 2], 2, 4),
        node("c", [1, 2], 8, 4),
        node("d", [1, 3], 2, 4),
    )
    constraints = MemConstraints()
    constraints.add_absolute_placement_constraint(first, 2, 8000)
    constraints.add_absolute_placement_constraint(second, 2)
    constraints.add_relative_placement_constraint(third, part, 32)
    state = MemoryPlanningState(config)
    specs = [one.meta["spec"] for one in (part, third, second, first)]
    algorithm(config).plan_with_constraints(specs, None, None, state, constraints)
    assert [(one.mem_id, one.mem_offset) for one in reversed(specs)] == [(2, 8000), (2, 0), (1, 0), (1, 32)]
    assert state.bufsizes == [0, 128, 8064]
    assert third.meta["spec"].lifetime == [1, 3]


def test_places_that_cannot_be():
    first, second = node("a", [0, 2], 4, 4), node("b", [0, 2], 2, 4)
    constraints = MemConstraints()
    constraints.add_absolute_placement_constraint(first, 1, 0)
    constraints.add_absolute_placement_constraint(second, 1, 32)
    config = MemoryConfig([1000])
    specs = [one.meta["spec"] for one in (first, second)]
    with pytest.raises(MemoryPlanningError, match="overlap"):
        PositionBasedGreedyWithHierarchy(config).plan_with_constraints(
            specs, None, None, MemoryPlanningState(config), constraints
        )
    with pytest.raises(RuntimeError, match="Cannot add relative placement constraint for b with non-zero"):
        constraints.add_relative_placement_constraint(first, second, 8)
    with pytest.raises(ValueError, match="alignments"):
        MemoryConfig([1, 2], [8])


def test_the_most_that_is_live_at_once(caplog):
    program = planned(lambda x, y: torch.relu(torch.exp(x)), X, Y[:1])
    exported = program.exported_program()
    given = exported.graph_module, exported.graph_signature
    # Two values of 96 bytes, and the input that nothing reads.
    assert find_peak_memory_usage(*given, alloc_graph_input=False, alloc_graph_output=True)[0] == 192
    assert find_peak_memory_usage(*given, alloc_graph_input=False, alloc_graph_output=False)[0] == 96
    with caplog.at_level("INFO"):
        print_memory_planning_info(program, get_default_memory_config(), CompileMode.DEFAULT, True, True)
    assert "memory 1:" in caplog.text and "are live" in caplog.text
