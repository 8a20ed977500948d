"""Places as functions of the inputs' sizes."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.export import Dim, export

from executorch.dialects import meta_keys
from executorch.dialects.tensor_spec import TensorShapeDynamism, TensorSpec
from executorch.memory_planning import ARENA_FUNCTIONS, BUFFER_SIZES, MemoryPlanningPass, check_plan
from executorch.memory_planning.arena_functions import lay_out
from executorch.memory_planning.size_expressions import evaluate
from executorch.memory_planning.testing import ExecutionGraph
from executorch.memory_planning.timeline import Role, Storage, build_timeline

BOUNDS = (40, 50)


class Adds(torch.nn.Module):
    def forward(self, x, y):
        return x.sum() + y.sum()


def sizes_of_inputs():
    """Example values whose sizes are the symbols of two inputs."""
    dims = [Dim(name, max=bound) for name, bound in zip("nm", BOUNDS, strict=True)]
    program = export(Adds(), (torch.ones(10), torch.ones(10)), dynamic_shapes=tuple({0: dim} for dim in dims))
    return [node.meta["val"] for node in program.graph.nodes if node.op == "placeholder"]


INPUTS = sizes_of_inputs()
(N,), (M,) = (value.shape for value in INPUTS)
SHAPES = (((7,), (7,)), ((N,), (40,)), ((M,), (50,)), ((N, M), (40, 50)), ((3, N), (3, 40)))


def bounded(shape):
    spec = TensorSpec(torch.float32, shape)
    spec.shape_dynamism = TensorShapeDynamism.DYNAMIC_BOUND
    return spec


def chain(kinds, reads):
    """A method of elementwise calls: each makes a value of one of the shapes and reads earlier ones."""
    graph = ExecutionGraph()
    nodes = []
    for value, bound, name in zip(INPUTS, BOUNDS, "xy", strict=True):
        nodes.append(graph.input(bound, name=name, bounded=True))
        nodes[-1].meta[meta_keys.VAL] = value
    state = graph.buffer(torch.zeros(5))
    for kind, (left, right) in zip(kinds, reads, strict=True):
        symbolic, bounds = SHAPES[kind]
        spec = bounded(bounds) if symbolic != bounds else TensorSpec(torch.float32, bounds)
        arguments = (nodes[left % len(nodes)], nodes[right % len(nodes)])
        (node,) = graph.call_with(torch.ops.aten.add.out, [spec], *arguments)
        node.meta[meta_keys.VAL] = INPUTS[0].new_empty(symbolic)
        nodes.append(node)
    graph.write_back(state, "state")
    graph.output(nodes[-1])
    return graph.module(), graph.signature()


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_live_values_never_overlap_whatever_the_sizes_are(data):
    count = data.draw(st.integers(1, 25))
    kinds = data.draw(st.lists(st.integers(0, len(SHAPES) - 1), min_size=count, max_size=count))
    reads = data.draw(
        st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=count, max_size=count)
    )
    module, signature = chain(kinds, reads)
    MemoryPlanningPass().run(module, signature)
    (planned,) = module.meta[BUFFER_SIZES][1:]
    MemoryPlanningPass(arenas_by_size=True).run(module, signature)
    assert module.meta[BUFFER_SIZES][1] <= planned
    functions = module.meta.get(ARENA_FUNCTIONS)
    if functions is None:
        assert all(kind == 0 for kind in kinds)
        return
    for _ in range(3):
        sizes = [data.draw(st.integers(0, bound)) for bound in BOUNDS]
        offsets, total = functions.offsets(sizes)
        assert total <= functions.offsets(BOUNDS)[1]
        live = []
        for block, offset in zip(functions.blocks, offsets, strict=True):
            if block.specs:
                size = evaluate(block.size, sizes)
                live.append((*block.specs[0].lifetime, offset, offset + size))
        for index, (first, last, begin, end) in enumerate(live):
            assert begin % functions.alignment == 0
            assert end <= total
            for other_first, other_last, other_begin, other_end in live[:index]:
                apart = last < other_first or other_last < first
                assert apart or end <= other_begin or other_end <= begin


def test_at_the_bounds_they_give_the_plan_of_the_file():
    module, signature = chain([1, 3, 1, 0, 4, 3], [(0, 1), (2, 2), (3, 2), (4, 3), (5, 4), (6, 2)])
    MemoryPlanningPass(arenas_by_size=True, alloc_graph_input=False).run(module, signature)
    functions = module.meta[ARENA_FUNCTIONS]
    offsets, total = functions.offsets(BOUNDS)
    assert functions.fixed == 32, "the state of five floats"
    assert module.meta[BUFFER_SIZES] == [0, functions.fixed + total]
    for block, offset in zip(functions.blocks, offsets, strict=True):
        assert {spec.mem_offset for spec in block.specs} == {functions.fixed + offset}
    state = next(node for node in module.graph.nodes if node.name == "b_state")
    assert state.meta[meta_keys.SPEC].mem_offset == 0
    _, small = functions.offsets((2, 2))
    assert small < total / 50


def test_a_method_of_one_size_has_none():
    graph = ExecutionGraph()
    value = graph.input(16)
    graph.output(graph.call(torch.ops.aten.relu.out, value, shape=(16,)))
    module, signature = graph.module(), graph.signature()
    MemoryPlanningPass(arenas_by_size=True).run(module, signature)
    assert ARENA_FUNCTIONS not in module.meta


def test_a_plan_without_the_option_forgets_them():
    module, signature = chain([1, 1], [(0, 0), (2, 2)])
    MemoryPlanningPass(arenas_by_size=True).run(module, signature)
    assert ARENA_FUNCTIONS in module.meta
    MemoryPlanningPass().run(module, signature)
    assert ARENA_FUNCTIONS not in module.meta


def test_parts_that_begin_elsewhere_stay_at_the_front():
    module, signature = chain([1, 4, 1], [(0, 0), (2, 2), (3, 2)])
    storages = list(build_timeline(module, signature).planned())
    MemoryPlanningPass().run(module, signature)
    whole = next(storage for storage in storages if storage.leader.shape == [3, 40])
    part = TensorSpec(torch.float32, (4,))
    part.mem_id, part.mem_offset = 1, whole.leader.mem_offset + 16
    whole.specs.append(part)
    functions, end = lay_out(storages, module, signature, 16)
    assert functions.fixed == 32 + 480
    assert part.mem_offset == whole.leader.mem_offset + 16 < functions.fixed
    check_plan(storages, [0, end], 16)


def test_thousands_of_storages_take_no_time():
    # One would notice: every pair of them is live together.
    storages = []
    for index in range(3000):
        spec = bounded((40,))
        spec.lifetime, spec.mem_id, spec.mem_offset = [0, 1], 1, 160 * index
        storages.append(Storage([spec], None, Role.INTERMEDIATE, 0))
    module, signature = chain([1], [(0, 0)])
    node = next(node for node in module.graph.nodes if node.op == "call_function")
    for storage in storages:
        copy = module.graph.node_copy(node)
        copy.meta = {meta_keys.SPEC: storage.leader, meta_keys.VAL: INPUTS[0]}
    functions, end = lay_out(storages, module, signature, 16)
    assert end == 3000 * 160
    assert [len(block.below) for block in functions.blocks] == [0] + [1] * 2999
