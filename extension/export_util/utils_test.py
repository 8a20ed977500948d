"""The helpers: a file is written where said, runs, and brings its data files along."""

import pytest
import torch

from executorch.exir import EdgeCompileConfig, ExecutorchBackendConfig
from executorch.extension.export_util.utils import export_to_edge, export_to_exec_prog, save_pte_program
from executorch.runtime import Runtime


class Scale(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.rand(4))

    def forward(self, x, *, bias):
        return x * self.weight + bias


def run(path, *inputs):
    return Runtime.get().load_program(path).load_method("forward").execute(list(inputs))[0]


def test_a_module_becomes_a_file(tmp_path, monkeypatch):
    x, bias = torch.rand(3, 4), torch.rand(4)
    model = Scale()
    rows = torch.export.Dim("rows", max=8)
    program = export_to_exec_prog(
        model,
        (x,),
        example_kwarg_inputs={"bias": bias},
        dynamic_shapes={"x": {0: rows}, "bias": None},
        edge_constant_methods={"answer": 42},
    )
    path = save_pte_program(program, "scale", str(tmp_path))
    assert path == str(tmp_path / "scale.pte")
    more = torch.rand(7, 4)
    torch.testing.assert_close(run(path, more, bias), model(more, bias=bias))
    assert Runtime.get().load_program(path).load_method("answer").execute([]) == [42]

    monkeypatch.chdir(tmp_path)
    assert save_pte_program(program, "here") == "here.pte"
    assert save_pte_program(program, str(tmp_path / "whole.pte"), "ignored") == str(tmp_path / "whole.pte")
    assert (tmp_path / "here.pte").read_bytes() == (tmp_path / "whole.pte").read_bytes() == program.buffer


def test_data_files_lie_beside_the_program(tmp_path):
    config = ExecutorchBackendConfig(external_constants=True)
    program = export_to_exec_prog(torch.nn.Linear(3, 2), (torch.rand(1, 3),), backend_config=config)
    save_pte_program(program, "linear", str(tmp_path))
    assert len(list(tmp_path.glob("*.ptd"))) == 1


def test_the_edge_program_is_checked_when_asked():
    linear, inputs = torch.nn.Linear(3, 2), (torch.rand(1, 3),)
    assert export_to_edge(linear, inputs, strict=False).methods == {"forward"}
    checked = export_to_edge(linear, inputs, edge_compile_config=EdgeCompileConfig(), verbose=False)
    assert "aten.addmm" in str(checked.exported_program().graph) or "linear" in str(
        checked.exported_program().graph
    )


def test_what_is_no_module_is_refused():
    with pytest.raises(ValueError, match=r"torch\.nn\.Module.*function"):
        export_to_edge(lambda x: x, (torch.rand(1),))
