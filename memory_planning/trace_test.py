"""The Chrome trace and the picture show every value at its place for as long as it is live."""

import json
from types import SimpleNamespace

import pytest
import torch

from executorch.dialects import meta_keys
from executorch.memory_planning import (
    MemoryPlanningError,
    MemoryPlanningPass,
    create_tensor_allocation_info,
    draw_plan,
    generate_memory_trace,
    write_plan_png,
)
from executorch.memory_planning.testing import ExecutionGraph

relu = torch.ops.aten.relu.out


class ByHand(MemoryPlanningPass):
    def run(self, graph_module, graph_signature=None):
        for node in graph_module.graph.nodes:
            if node.op == "placeholder":
                node.meta["spec"].mem_id = 2
        return super().run(graph_module, graph_signature)


def planned_program():
    graph = ExecutionGraph()
    nodes = [graph.input(64)]
    for _ in range(3):
        nodes.append(graph.call(relu, nodes[-1], shape=(64,)))
        nodes[-1].meta[meta_keys.STACK_TRACE] = 'File "model.py", line 3, in forward\n    return x.relu()'
        nodes[-1].meta[meta_keys.NN_MODULE_STACK] = {"a": ("body.act", "ReLU")}
    graph.output(nodes[-1])
    program = graph.program()
    ByHand().run(program.graph_module, program.graph_signature)
    return program, [node.meta[meta_keys.SPEC] for node in nodes]


def manager(program):
    return SimpleNamespace(exported_program=lambda name: {"forward": program}[name])


def test_each_step_lists_what_is_live():
    program, specs = planned_program()
    steps = create_tensor_allocation_info(program.graph_module.graph)
    for number, step in enumerate(steps):
        live = [spec for spec in specs if spec.lifetime[0] <= number <= spec.lifetime[1]]
        assert sorted((a.memory_id, a.memory_offset, a.size_bytes) for a in step.allocations) == sorted(
            (spec.mem_id, spec.mem_offset, spec.nbytes()) for spec in live
        )
    first = next(a for a in steps[1].allocations if a.op_name == "aten.relu.out")
    assert first.fqn == "body.act" and first.file_and_line_num.startswith("model.py:3 in forward")


def test_the_trace_has_a_process_for_each_memory_and_a_row_for_each_step(tmp_path):
    program, specs = planned_program()
    path = tmp_path / "memory_profile.json"
    generate_memory_trace(
        executorch_program_manager=manager(program), chrome_trace_filename=path, enable_memory_offsets=True
    )
    events = json.loads(path.read_text())["traceEvents"]
    assert {event["ph"] for event in events} == {"X"} and {event["pid"] for event in events} == {1, 2}
    found = {(e["pid"], e["ts"], e["dur"], e["tid"]) for e in events}
    expected = {
        (spec.mem_id, spec.mem_offset, spec.nbytes(), step)
        for spec in specs
        for step in range(spec.lifetime[0], spec.lifetime[1] + 1)
    }
    assert found == expected and len(events) == len(expected)
    assert events[0]["args"] == {
        "op_name": "x",
        "Memory ID": 2,
        "fqn": "",
        "source": "None",
        "bytes": 256,
    }


def test_without_offsets_values_stand_one_behind_the_other(tmp_path):
    program, _ = planned_program()
    path = tmp_path / "trace.json"
    generate_memory_trace(manager(program), path, ommit_metadata=True)
    events = json.loads(path.read_text())["traceEvents"]
    assert all(event["args"] == {} for event in events)
    for step in {event["tid"] for event in events}:
        row = [event for event in events if event["tid"] == step and event["pid"] == 1]
        assert [event["ts"] for event in row] == [256 * index for index in range(len(row))]


def test_a_method_without_a_plan_is_refused(tmp_path):
    graph = ExecutionGraph()
    program = graph.output(graph.call(relu, graph.input(4), shape=(4,))).program()
    with pytest.raises(MemoryPlanningError, match=r"no memory plan.*to_executorch"):
        generate_memory_trace(manager(program), tmp_path / "trace.json")


def test_the_picture_has_a_box_for_each_value(tmp_path):
    pytest.importorskip("PIL")
    program, _ = planned_program()
    image = draw_plan(program.graph_module, program.graph_signature, 600, 400)
    colours = {colour for _, colour in image.getcolors(600 * 400)}
    for hue in ("#8fbc8f", "#e9967a", "#87aedb", "#d00000"):  # input, result, intermediate value, peak
        assert tuple(bytes.fromhex(hue[1:])) in colours
    path = tmp_path / "plan.png"
    write_plan_png(program.graph_module, path, program.graph_signature)
    assert path.read_bytes().startswith(b"\x89PNG")
