"""What is relied on of each of torch's private types."""

import torch

from executorch.dialects import torch_types


def test_operators_are_overloads_of_packets():
    add = torch.ops.aten.add
    assert isinstance(add, torch_types.OpOverloadPacket) and isinstance(add.Tensor, torch_types.OpOverload)
    assert add.Tensor.overloadpacket is add and "Tensor" in add.overloads()
    assert (add.Tensor.namespace, add.Tensor._overloadname) == ("aten", "Tensor")
    assert add.Tensor._schema.name == "aten::add" and add.Tensor.name() == "aten::add.Tensor"


def test_control_flow_is_of_higher_order():
    assert isinstance(torch.ops.higher_order.cond, torch_types.HigherOrderOperator)
    assert not isinstance(torch.ops.aten.add.Tensor, torch_types.HigherOrderOperator)


def test_fake_tensors_have_the_mode_that_made_them():
    mode = torch_types.FakeTensorMode()
    value = mode.from_tensor(torch.ones(2), static_shapes=True)
    assert isinstance(value, torch_types.FakeTensor) and value.fake_mode is mode
    with mode:
        assert isinstance(torch.empty(3), torch_types.FakeTensor)


def test_programs_name_their_verifiers_by_class():
    program = torch.export.export(torch.nn.ReLU(), (torch.ones(2),))
    assert all(issubclass(verifier, torch_types.Verifier) for verifier in program.verifiers)
    assert isinstance(torch_types.Verifier.dialect, str)
    assert torch_types.Verifier().check(program) is None


def test_delegates_are_called_by_an_operator_of_higher_order():
    call = torch_types.executorch_call_delegate
    assert call is torch.ops.higher_order.executorch_call_delegate
    assert isinstance(call, torch_types.HigherOrderOperator) and call.name() == "executorch_call_delegate"
    root = torch.nn.Module()
    assert torch_types.get_lowered_module_name(root, torch.nn.Module()) == "lowered_module_0"
    assert not torch_types.is_lowered_module(torch.nn.Module())
    assert torch_types.LOWERED_BACKEND_MODULE_TYPE == "LoweredBackendModule"


def test_what_functionalization_wraps():
    library = torch.library.Library("torch_types_test", "FRAGMENT")
    library.define("write(Tensor(a!) x) -> Tensor")
    library.define("read(Tensor x) -> Tensor")
    library.define("look(Tensor(a!) x) -> Tensor(a!)")
    operators = torch.ops.torch_types_test
    assert torch_types.can_auto_functionalize(operators.write.default)
    for op in (operators.read.default, operators.look.default, torch.ops.aten.resize_.default):
        assert not torch_types.can_auto_functionalize(op)
