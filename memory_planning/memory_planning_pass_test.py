"""The pass: flags, documented ways to customise it, and its guarantee that a plan has been proved."""

import pytest
import torch

from executorch.dialects import meta_keys
from executorch.dialects.tensor_spec import TensorSpec
from executorch.memory_planning import (
    BUFFER_DEVICES,
    BUFFER_SIZES,
    MemoryAlgoResult,
    MemoryPlanningAlgorithmSuite,
    MemoryPlanningError,
    MemoryPlanningPass,
    SpecAllocResult,
    best_of_packings,
    greedy,
    naive,
)
from executorch.memory_planning.questions import reads_behind_inputs
from executorch.memory_planning.testing import ExecutionGraph

ops = torch.ops.aten


def spec(node):
    return node.meta[meta_keys.SPEC]


def chain(length=4, size=64):
    """x -> relu -> relu -> ..., each value dead after the next one."""
    graph = ExecutionGraph()
    nodes = [graph.input(size)]
    for _ in range(length):
        nodes.append(graph.call(ops.relu.out, nodes[-1], shape=(size,)))
    graph.output(nodes[-1])
    return graph, nodes


def run(graph, planner):
    module, signature = graph.module(), graph.signature()
    result = planner.run(module, signature)
    assert result.graph_module is module
    return module.meta[BUFFER_SIZES]


def test_the_default_reuses_memory():
    graph, nodes = chain()
    assert run(graph, MemoryPlanningPass()) == [0, 2 * 256]
    assert spec(nodes[1]).mem_id == 1
    assert spec(nodes[0]).mem_offset == spec(nodes[2]).mem_offset != spec(nodes[1]).mem_offset
    assert spec(nodes[0]).mem_obj_id == spec(nodes[2]).mem_obj_id


def test_naive_reuses_nothing():
    graph, nodes = chain(length=4)
    assert run(graph, MemoryPlanningPass(memory_planning_algo=naive)) == [0, 5 * 256]
    assert [spec(node).mem_offset for node in nodes] == [0, 256, 512, 768, 1024]


def test_greedy_reuses_the_locations_of_dead_values():
    graph = ExecutionGraph()
    x = graph.input(16)
    big = graph.call(ops.relu.out, x, shape=(64,))
    middle = graph.call(ops.relu.out, big, shape=(32,))
    small = graph.call(ops.relu.out, middle, shape=(24,))
    graph.output(graph.call(ops.relu.out, small, shape=(30,)))
    assert run(graph, MemoryPlanningPass(memory_planning_algo=greedy)) == [0, 256 + 128]
    # The location of `big` takes the result, and beside it `small`, which is live at the same time.
    assert (spec(big).mem_offset, spec(small).mem_offset) == (0, 128)
    assert spec(x).mem_offset == spec(middle).mem_offset == 256


@pytest.mark.parametrize(
    ("name", "algorithm"), [("greedy", greedy), ("naive", naive), ("best_of_packings", best_of_packings)]
)
def test_algorithms_have_names(name, algorithm):
    assert MemoryPlanningPass(name).memory_planning_algo is algorithm


def test_an_unknown_name_is_refused():
    with pytest.raises(ValueError, match=r"'gready'.*'greedy'"):
        MemoryPlanningPass("gready")


@pytest.mark.parametrize("algorithm", [greedy, best_of_packings, MemoryPlanningAlgorithmSuite()])
def test_algorithms_can_be_chosen(algorithm):
    graph, _ = chain()
    assert run(graph, MemoryPlanningPass(memory_planning_algo=algorithm)) == [0, 512]


def test_the_suite_keeps_the_smallest_plan():
    calls = []

    def wasteful(alignment, specs, graph_module, graph_signature, extra_padding):
        calls.append("wasteful")
        return naive(alignment, specs, graph_module, graph_signature, extra_padding)

    def tight(*args):
        calls.append("tight")
        return best_of_packings(*args)

    def never(*args):
        raise AssertionError("a plan without waste was found before")

    graph, _ = chain()
    suite = MemoryPlanningAlgorithmSuite([wasteful, tight, never])
    assert run(graph, MemoryPlanningPass(memory_planning_algo=suite)) == [0, 512]
    assert calls == ["wasteful", "tight"]


def test_an_empty_suite_is_refused():
    with pytest.raises(ValueError, match="at least one algorithm"):
        MemoryPlanningAlgorithmSuite([])


def test_inputs_and_outputs_can_be_left_to_the_caller():
    graph, nodes = chain()
    sizes = run(graph, MemoryPlanningPass(alloc_graph_input=False, alloc_graph_output=False))
    assert sizes == [0, 512]
    assert spec(nodes[0]).mem_offset is None and spec(nodes[-1]).mem_offset is None
    assert spec(nodes[1]).mem_offset is not None


def test_planning_again_forgets_the_first_plan():
    graph, nodes = chain()
    run(graph, MemoryPlanningPass())
    run(graph, MemoryPlanningPass(alloc_graph_input=False))
    assert spec(nodes[0]).mem_offset is None and spec(nodes[0]).mem_id is None


def test_mutable_buffers_overlap_nothing():
    graph = ExecutionGraph()
    buffer, x = graph.buffer(torch.zeros(64)), graph.input(64)
    total = graph.add(buffer, x)
    graph.write_back(buffer, total)
    graph.output(graph.call(ops.relu.out, total, shape=(64,)))
    assert run(graph, MemoryPlanningPass()) == [0, 3 * 256]
    graph.module()
    assert run(graph, MemoryPlanningPass(alloc_mutable_buffers=False)) == [0, 2 * 256]
    assert spec(buffer).mem_offset is None


def test_values_can_be_placed_by_hand():
    """The documented way: a derived class sets mem_id, inputs and products in memory 1, sums in memory 2."""

    class CustomPoolMemoryPlanningPass(MemoryPlanningPass):
        def run(self, graph_module, graph_signature=None):
            for module in graph_module.modules():
                if not isinstance(module, torch.fx.GraphModule):
                    continue
                for node in module.graph.nodes:
                    if node.op == "placeholder" or node.target == ops.mul.out:
                        node.meta["spec"].mem_id = 1
                    elif node.target == ops.add.out:
                        node.meta["spec"].mem_id = 2
            return super().run(graph_module, graph_signature)

    graph = ExecutionGraph()
    x, y = graph.input(64), graph.input(64, name="y")
    total = graph.add(x, y)
    graph.output(graph.call(ops.mul.out, total, y, shape=(64,)))
    sizes = run(graph, CustomPoolMemoryPlanningPass(memory_planning_algo=greedy))
    assert sizes == [0, 512, 256]
    assert [spec(node).mem_id for node in (x, y, total)] == [1, 1, 2]


def test_the_alignment_is_kept():
    graph, nodes = chain(size=5)
    assert run(graph, MemoryPlanningPass(memory_planning_algo=naive, alignment=64)) == [0, 5 * 64]
    assert all(spec(node).mem_offset % 64 == 0 for node in nodes)
    with pytest.raises(ValueError, match="power of two"):
        MemoryPlanningPass(alignment=24)


def test_padding_at_the_end():
    graph, _ = chain()
    module = graph.module()
    MemoryPlanningPass().run(module, graph.signature())
    specs = {
        storage: None
        for storage in [spec(node) for node in module.graph.nodes if meta_keys.SPEC in node.meta]
    }
    assert naive(16, specs.keys(), module, None, 100).bufsizes == [0, 5 * 256 + 100]


def overlapping(alignment, specs, graph_module, graph_signature, extra_padding):
    result = MemoryAlgoResult(bufsizes=[0, 256])
    result.spec_dict = {item: SpecAllocResult(1, 0, 0) for item in specs}
    return result


def test_a_wrong_plan_is_refused():
    graph, _ = chain()
    with pytest.raises(MemoryPlanningError, match=r"relu.*overlaps"):
        run(graph, MemoryPlanningPass(memory_planning_algo=overlapping))


def test_overlap_can_be_allowed():
    graph, _ = chain()
    planner = MemoryPlanningPass(memory_planning_algo=overlapping, allow_lifetime_and_storage_overlap=True)
    assert run(graph, planner) == [0, 256]


def test_a_plan_without_a_value_is_refused():
    graph, _ = chain()
    with pytest.raises(MemoryPlanningError, match="has no place"):
        run(graph, MemoryPlanningPass(memory_planning_algo=lambda *args: MemoryAlgoResult()))


def method(name, size=64):
    graph = ExecutionGraph()
    buffer, x = graph.buffer(torch.zeros(size), name=name), graph.input(size)
    graph.write_back(buffer, graph.add(buffer, x))
    graph.output(graph.call(ops.relu.out, x, shape=(size,)))
    return graph, buffer


def test_methods_share_mutable_buffers_of_the_same_name():
    planner = MemoryPlanningPass(share_mutable_buffers=True)
    methods = [method("cache"), method("other"), method("cache")]
    modules = []
    for graph, _ in methods:
        module = graph.module()
        planner.run(module, graph.signature())
        modules.append(module)
    planner.run_multimethod()
    places = [(spec(buffer).mem_id, spec(buffer).mem_offset) for _, buffer in methods]
    assert places == [(2, 0), (2, 256), (2, 0)]
    assert [module.meta[BUFFER_SIZES][2] for module in modules] == [512, 512, 512]


def test_shared_buffers_must_agree_in_size():
    planner = MemoryPlanningPass(share_mutable_buffers=True)
    for graph, _ in (method("cache"), method("cache", size=32)):
        planner.run(graph.module(), graph.signature())
    with pytest.raises(MemoryPlanningError, match=r"'cache' has 128 bytes in one method and 256"):
        planner.run_multimethod()


def test_a_plan_that_failed_leaves_nothing_for_the_next():
    planner = MemoryPlanningPass(share_mutable_buffers=True)
    for graph, _ in (method("cache"), method("cache", size=32)):
        planner.run(graph.module(), graph.signature())
    with pytest.raises(MemoryPlanningError):
        planner.run_multimethod()
    # Another model, whose buffer of that name has another size.
    graph, buffer = method("cache", size=16)
    planner.run(graph.module(), graph.signature())
    planner.run_multimethod()
    assert (spec(buffer).mem_id, spec(buffer).mem_offset) == (2, 0)


def test_methods_of_a_lowering_that_was_given_up_can_be_forgotten():
    planner = MemoryPlanningPass(share_mutable_buffers=True)
    graph, _ = method("cache")
    planner.run(graph.module(), graph.signature())
    planner.forget_methods()
    graph, buffer = method("cache", size=16)
    planner.run(graph.module(), graph.signature())
    planner.run_multimethod()
    assert spec(buffer).mem_id == 2


def test_shared_buffers_have_to_be_planned():
    with pytest.raises(ValueError, match="alloc_mutable_buffers=True"):
        MemoryPlanningPass(share_mutable_buffers=True, alloc_mutable_buffers=False)


def test_a_graph_without_values():
    graph = ExecutionGraph()
    graph.output(3)
    assert run(graph, MemoryPlanningPass()) == [0, 0]


def test_plans_are_reproducible():
    plans = []
    for _ in range(2):
        graph = ExecutionGraph()
        x = graph.input(40)
        nodes = [x]
        for size in (8, 40, 24, 40, 16, 8, 32):
            nodes.append(graph.call(ops.relu.out, nodes[-1], shape=(size,)))
        graph.output(graph.add(nodes[-1], nodes[3]))
        run(graph, MemoryPlanningPass())
        plans.append([spec(node).mem_offset for node in nodes])
    assert plans[0] == plans[1]


def test_a_delegate_may_read_behind_its_inputs():
    sizes = []
    for shapes in ([(64,)], [(16,)]):  # the input lies last, or before a result that is large enough
        graph = ExecutionGraph()
        x = graph.input(16)
        graph.output(*graph.delegate(torch.nn.Module(), x, shapes=shapes))
        sizes.append(run(graph, MemoryPlanningPass(memory_planning_algo=naive)))
        sizes.append(run(graph, MemoryPlanningPass(alloc_graph_input=False)))
    assert sizes == [[0, 64 + 256], [0, 256], [0, 64 + 64], [0, 64]]
    graph = ExecutionGraph()
    first = graph.call(ops.relu.out, graph.input(16), shape=(16,))
    graph.output(*graph.delegate(torch.nn.Module(), first, shapes=[(1,)]))
    assert run(graph, MemoryPlanningPass(memory_planning_algo=naive)) == [0, 128 + 64]


@pytest.mark.parametrize(("declared", "behind"), [(None, 64), (0, 0), (16, 16), (300, 304)])
def test_a_backend_declares_how_far_it_reads(declared, behind):
    lowered = torch.nn.Module()
    lowered.meta = {} if declared is None else {meta_keys.READ_AHEAD: declared}
    graph = ExecutionGraph()
    first = graph.call(ops.relu.out, graph.input(16), shape=(16,))
    graph.output(*graph.delegate(lowered, first, shapes=[(1,)]))
    assert run(graph, MemoryPlanningPass(memory_planning_algo=naive)) == [0, max(128 + behind, 144)]
    assert reads_behind_inputs(graph.module()) == bool(declared)


def test_a_method_on_a_device_alone_has_no_memory_of_the_host():
    graph, nodes = chain()
    module, signature = graph.module(), graph.signature()
    for node in module.graph.nodes:
        if isinstance(node.meta.get(meta_keys.SPEC), TensorSpec):
            spec(node).device, spec(node).device_index = 1, 2
    MemoryPlanningPass(memory_planning_algo=naive).run(module, signature)
    sizes = module.meta[BUFFER_SIZES]
    (memory,) = module.meta[BUFFER_DEVICES]
    assert sizes == [0, 256 * len(nodes)] and (memory.buffer_idx, memory.device_type) == (1, 1)
    assert memory.device_index == 2 and spec(nodes[0]).mem_id == 1
