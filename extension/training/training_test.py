"""Joint graphs are run and trained from Python, like torch does it."""

import pytest
import torch

from executorch.exir import to_edge
from executorch.extension.training import (
    _load_for_executorch_for_training,
    _load_for_executorch_for_training_from_buffer,
    get_sgd_optimizer,
)
from executorch.extension.training.examples.XOR.export_model import _export_model
from executorch.runtime import ExecuTorchError, MethodNotFoundError

INPUTS = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
LABELS = torch.tensor([0, 1, 1, 0])


@pytest.fixture(scope="module")
def program():
    torch.manual_seed(0)
    return _export_model().buffer


def step(module, row):
    return module.forward_backward("forward", (INPUTS[row : row + 1], LABELS[row : row + 1]))


def test_gradients_are_those_of_torch(program):
    module = _load_for_executorch_for_training_from_buffer(program)
    with pytest.raises(RuntimeError, match="forward_backward"):
        module.named_parameters()
    loss, predicted = step(module, 1)
    weights = {name: value.clone().requires_grad_() for name, value in module.named_parameters().items()}
    assert set(weights) == {f"net.linear{n}.{kind}" for n in ("", "2") for kind in ("weight", "bias")}
    hidden = torch.relu(INPUTS[1:2] @ weights["net.linear.weight"].T + weights["net.linear.bias"])
    scores = hidden @ weights["net.linear2.weight"].T + weights["net.linear2.bias"]
    expected = torch.nn.functional.cross_entropy(scores, LABELS[1:2])
    torch.testing.assert_close(loss, expected.detach())
    assert predicted.item() == scores.argmax().item()
    expected.backward()
    for name, gradient in module.named_gradients().items():
        torch.testing.assert_close(gradient, weights[name].grad)


def test_the_network_learns(program):
    module = _load_for_executorch_for_training_from_buffer(program)
    first = sum(step(module, row)[0].item() for row in range(4))
    optimizer = get_sgd_optimizer(module.named_parameters(), 0.1, 0.9)
    for index in range(400):
        step(module, index % 4)
        optimizer.step(module.named_gradients())
    results = [step(module, row) for row in range(4)]
    assert sum(loss.item() for loss, _ in results) < first / 4
    assert [predicted.item() for _, predicted in results] == LABELS.tolist()


def test_a_result_outlives_the_next_run(program):
    module = _load_for_executorch_for_training_from_buffer(program)
    loss = step(module, 0)[0]
    kept = loss.item()
    step(module, 1)
    assert loss.item() == kept


def test_weights_may_lie_in_a_file_of_their_own(tmp_path):
    exported = _export_model(external_mutable_weights=True)
    exported.save(str(tmp_path / "xor.pte"))
    exported.write_tensor_data_to_file(str(tmp_path))
    (data,) = tmp_path.glob("*.ptd")
    module = _load_for_executorch_for_training(tmp_path / "xor.pte", data)
    assert step(module, 0)[0].item() > 0
    again = _load_for_executorch_for_training_from_buffer(exported.buffer, data.read_bytes())
    assert step(again, 0)[0].item() == step(module, 0)[0].item()


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"momentum": 0.9},
        {"momentum": 0.9, "dampening": 0.5, "weight_decay": 0.1},
        {"momentum": 0.9, "nesterov": True},
    ],
)
def test_the_optimizer_does_what_torchs_does(settings):
    torch.manual_seed(1)
    ours = {"a": torch.randn(3), "frozen": torch.ones(2)}
    theirs = torch.nn.Parameter(ours["a"].clone())
    optimizer, oracle = (
        get_sgd_optimizer(ours, lr=0.2, **settings),
        torch.optim.SGD([theirs], lr=0.2, **settings),
    )
    for _ in range(3):
        gradient = torch.randn(3)
        theirs.grad = gradient.clone()
        oracle.step()
        optimizer.step({"a": gradient, "unknown": torch.ones(1)})
        torch.testing.assert_close(ours["a"], theirs.detach())
    assert ours["frozen"].tolist() == [1, 1]


def test_what_cannot_be_trained_is_refused(program):
    module = _load_for_executorch_for_training_from_buffer(program)
    with pytest.raises(MethodNotFoundError, match="nope"):
        module.forward_backward("nope", ())
    plain = to_edge(torch.export.export(torch.nn.Linear(2, 2), (torch.ones(1, 2),))).to_executorch()
    inference = _load_for_executorch_for_training_from_buffer(plain.buffer)
    with pytest.raises(ExecuTorchError, match="_export_forward_backward"):
        inference.forward_backward("forward", (torch.ones(1, 2),))
    weights = {"a": torch.ones(2), "b": torch.ones(3)}
    with pytest.raises(ValueError, match=r"'b' has shape \(2,\)"):
        get_sgd_optimizer(weights).step({"a": torch.ones(2), "b": torch.ones(2)})
    assert weights["a"].tolist() == [1, 1]
    with pytest.raises(TypeError, match="'a' should be a tensor"):
        get_sgd_optimizer({"a": 1})
