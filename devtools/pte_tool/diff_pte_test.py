"""Two files and what differs in them."""

from __future__ import annotations

import copy
import pathlib

import pytest
import torch

from executorch.devtools.pte_tool import diff_pte as tool
from executorch.devtools.pte_tool.diff_pte import diff_pte, format_diff_result
from executorch.exir import to_edge


class _Model(torch.nn.Module):
    def __init__(self, outputs: int = 3) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(3, outputs)
        self.activation = torch.relu

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.activation(self.linear(x))


def _file(model: torch.nn.Module) -> bytes:
    program = torch.export.export(model.eval(), (torch.rand(1, 3),))
    return bytes(to_edge(program).to_executorch().buffer)


@pytest.fixture(scope="module")
def model() -> _Model:
    return _Model()


def test_equal_files(model: _Model) -> None:
    data = _file(model)
    result = diff_pte(data, data)
    assert result.bitwise_equal and not result.plan_diffs
    assert format_diff_result(result).endswith("Status: bitwise equal")


def test_another_weight(model: _Model) -> None:
    other = copy.deepcopy(model)
    other.linear.weight.data[0, 1] += 1
    (plan,) = diff_pte(_file(model), _file(other)).plan_diffs
    (tensor,) = plan.tensor_diffs
    assert (tensor.num_elements, tensor.num_differing, tensor.metadata_diffs) == (9, 1, [])
    assert tensor.max_abs_diff == tensor.mean_abs_diff == pytest.approx(1.0)
    (element,) = tensor.element_diffs
    assert sorted(element.multi_index) == [0, 1]
    text = format_diff_result(diff_pte(_file(model), _file(other), "a.pte", "b.pte"))
    assert "a.pte" in text and "1 / 9 elements differ" in text and "max_abs_diff=1" in text


def test_another_operator_and_other_sizes(model: _Model) -> None:
    other = copy.deepcopy(model)
    other.activation = torch.sin
    (plan,) = diff_pte(_file(model), _file(other)).plan_diffs
    assert plan.operators_only_in_a == ["aten::relu.out"] and plan.operators_only_in_b == ["aten::sin.out"]
    assert not plan.tensor_diffs
    (plan,) = diff_pte(_file(model), _file(_Model(4)), max_samples=2).plan_diffs
    sizes = [
        entry
        for tensor in plan.tensor_diffs
        for entry in tensor.metadata_diffs
        if entry.field_name == "sizes"
    ]
    assert ([1, 3], [1, 4]) in [(list(entry.value_a), list(entry.value_b)) for entry in sizes]
    assert max(len(tensor.element_diffs) for tensor in plan.tensor_diffs) == 2
    assert plan.has_differences()


def test_more_instructions(model: _Model) -> None:
    longer = torch.nn.Sequential(copy.deepcopy(model), torch.nn.Linear(3, 2))
    (plan,) = diff_pte(_file(model), _file(longer)).plan_diffs
    assert plan.instruction_count_a is not None and plan.instruction_count_b is not None
    assert plan.instruction_count_a < plan.instruction_count_b
    assert plan.tensors_only_in_b and not plan.tensors_only_in_a
    assert "Instructions: " in format_diff_result(diff_pte(_file(model), _file(longer)), verbose=True)


def test_what_is_no_file(model: _Model) -> None:
    result = diff_pte(_file(model), b"ET" * 20, path_b="broken.pte")
    assert result.error is not None and "broken.pte" in result.error
    assert "Error: " in format_diff_result(result)


def test_the_command_line(model: _Model, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [str(tmp_path / name) for name in ("a.pte", "b.pte")]
    pathlib.Path(paths[0]).write_bytes(_file(model))
    pathlib.Path(paths[1]).write_bytes(_file(_Model()))
    tool.main([*paths, "--verbose"])
    assert "NOT bitwise equal" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        tool.main([])
