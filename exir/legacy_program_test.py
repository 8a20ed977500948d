"""The older interface still leads from a model to a file; a bar shows on slow lowerings only."""

import io
import sys

import pytest
import torch

from executorch import exir
from executorch.exir import progress
from executorch.exir.capture._capture import CallSpec, WrapperModule
from executorch.exir.dialects._ops import ops
from executorch.exir.error import ExportError
from executorch.exir.pass_base import PassResult
from executorch.exir.program._program import (
    edge_to_executorch_passes,
    lift_constant_tensor_pass,
    transform_exported_program,
)

X = torch.rand(2, 3)


def _to_mul(graph_module):
    for node in graph_module.graph.nodes:
        if node.target is ops.edge.aten.add.Tensor:
            node.target = ops.edge.aten.mul.Tensor
    return PassResult(graph_module, True)


def test_from_a_function_to_a_file(tmp_path, capsys):
    captured = exir.capture(lambda x: x + x, (X,))
    torch.testing.assert_close(captured(X), 2 * X)
    edge = captured.to_edge()
    program = edge.transform(_to_mul).to_executorch()
    assert program.buffer[4:8] == b"ET12" and not program.data_files
    assert [op.name for op in program.program.execution_plan[0].operators] == ["aten::mul"]
    assert set(program.debug_handle_map) == set(program.delegate_map) == {"forward"}
    assert program.instruction_id_to_num_outs_map and program.dump_graph_module() is program.graph_module
    with (tmp_path / "model.pte").open("wb") as file:
        program.write_to_file(file)
    assert (tmp_path / "model.pte").read_bytes() == program.buffer
    program.write_tensor_data_to_file(tmp_path)
    edge.dump()
    assert "aten_add_tensor" in capsys.readouterr().out  # transform left it alone
    assert edge.graph_module is edge.exported_program.graph_module


def test_the_edge_dialect_comes_first():
    with pytest.raises(ExportError, match=r"call to_edge\(\) first"):
        exir.capture(WrapperModule(lambda x: x + 1), (X,)).to_executorch()


def test_all_sizes_dynamic():
    captured = exir.capture(lambda x: x + 1, (X,), exir.CaptureConfig(enable_dynamic_shape=True))
    (x,) = captured.graph.find_nodes(op="placeholder")
    assert all(isinstance(size, torch.SymInt) for size in x.meta["val"].shape)
    assert CallSpec(1, 2).in_spec == 1


def test_lists_of_passes():
    config = exir.ExecutorchBackendConfig(passes=[_to_mul])
    first, *rest = edge_to_executorch_passes(config)
    assert first is _to_mul and len(rest) == 5
    edge = exir.to_edge(torch.export.export(WrapperModule(lambda x: x + x), (X,))).exported_program()
    changed = transform_exported_program(edge, _to_mul)
    assert changed.graph.find_nodes(op="call_function", target=ops.edge.aten.mul.Tensor)
    assert edge.graph.find_nodes(op="call_function", target=ops.edge.aten.add.Tensor)
    assert lift_constant_tensor_pass(changed) is changed


class _Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(("delay", "shows"), [(0.0, True), (60.0, False)])
def test_a_bar_shows_after_its_delay(monkeypatch, delay, shows):
    terminal = _Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(progress, "DELAY", delay)
    with progress.progress("lowering", 2):
        progress.step("one")
        with progress.progress("inner", 9):  # the outer one counts
            progress.step("two")
    assert ("lowering" in terminal.getvalue()) is shows and "inner" not in terminal.getvalue()
    progress.step("nobody listens")


def test_pipes_stay_quiet(monkeypatch):
    pipe = io.StringIO()
    monkeypatch.setattr(sys, "stderr", pipe)
    monkeypatch.setattr(progress, "DELAY", 0.0)
    with progress.progress("lowering", 1):
        progress.step("one")
    assert pipe.getvalue() == ""
