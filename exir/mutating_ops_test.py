"""Custom operators that write their arguments, from the model to the program."""

import copy

import pytest
import torch
from torch import nn

from executorch.dialects.errors import MissingOutVariantError, SpecViolationError
from executorch.exir import to_edge, to_edge_transform_and_lower
from executorch.exir.interpreter_for_tests import ExecutionInterpreter

_LIBRARY = torch.library.Library("mutating_ops_test", "DEF")
_OPS = torch.ops.mutating_ops_test


def _add_into(x, y):
    x.add_(y)


def _put(value, cache, start):
    cache.narrow(0, start, value.shape[0]).copy_(value)
    return value.sum(0)


def _put_out(value, cache, start, *, out):
    return out.copy_(_put(value, cache, start))


def _both(x, y):
    x.add_(1)
    y.add_(x)
    return x * y, y - x


def _both_out(x, y, *, out0, out1):
    first, second = _both(x, y)
    return out0.copy_(first), out1.copy_(second)


def _all_of(xs, y):
    for x in xs:
        x.mul_(y)


for _schema, _kernel in (
    ("add_into_(Tensor(a!) x, Tensor y) -> ()", _add_into),
    ("all_of_(Tensor(a!)[] xs, Tensor y) -> ()", _all_of),
    ("put(Tensor value, Tensor(a!) cache, SymInt start) -> Tensor", _put),
    ("put.out(Tensor value, Tensor(a!) cache, SymInt start, *, Tensor(b!) out) -> Tensor(b!)", _put_out),
    ("both(Tensor(a!) x, Tensor(b!) y) -> (Tensor, Tensor)", _both),
    (
        "both.out(Tensor(a!) x, Tensor(b!) y, *, Tensor(c!) out0, Tensor(d!) out1) -> (Tensor(c!), Tensor(d!))",
        _both_out,
    ),
    ("put_without_out(Tensor value, Tensor(a!) cache, SymInt start) -> Tensor", _put),
):
    _LIBRARY.define(_schema)
    _LIBRARY.impl(_schema.partition("(")[0], _kernel, "CompositeExplicitAutograd")


class Stateful(nn.Module):
    """Buffers ``c`` and ``d`` of [4, 2]; ``body(self, x)`` is the method."""

    c: torch.Tensor
    d: torch.Tensor

    def __init__(self, body):
        super().__init__()
        self.body = body
        self.register_buffer("c", torch.arange(8.0).reshape(4, 2))
        self.register_buffer("d", torch.ones(4, 2))

    def forward(self, x):
        return self.body(self, x)


def _both_ways(body, shape=(4, 2), dynamic_shapes=None):
    """The lowered program of a model, once by each entry point."""
    for lower in (to_edge, to_edge_transform_and_lower):
        exported = torch.export.export(
            Stateful(body), (torch.randn(*shape),), dynamic_shapes=dynamic_shapes, strict=False
        )
        yield lower(exported).to_executorch()


def _instructions(executable):
    """Name of the operator and value numbers of each instruction."""
    plan = executable.executorch_program.execution_plan[0]
    calls = []
    for instruction in plan.chains[0].instructions:
        op = plan.operators[instruction.instr_args.op_index]
        calls.append(
            (f"{op.name}.{op.overload}" if op.overload else op.name, list(instruction.instr_args.args))
        )
    return calls


def _names(executable):
    return [name.removeprefix("mutating_ops_test::") for name, _ in _instructions(executable)]


def _check(body, expected, shape=(4, 2)):
    """Runs both lowered programs three times against the eager model; ``expected`` are the operators, in order."""
    for executable in _both_ways(body, shape):
        assert _names(executable) == expected
        eager = copy.deepcopy(Stateful(body))
        run = ExecutionInterpreter(executable.exported_program())
        for _ in range(3):
            x = torch.randn(*shape)
            torch.testing.assert_close(run(x.clone()), eager(x.clone()))


def _put_and_read(self, x):
    _OPS.put(x, self.c, 1)
    return self.c + self.d


def test_a_buffer_is_written_in_place_and_not_copied_back():
    _check(_put_and_read, ["put.out", "aten::add.out"], shape=(2, 2))


def test_the_operator_and_its_readers_use_the_memory_of_the_buffer():
    for executable in _both_ways(_put_and_read, shape=(2, 2)):
        plan = executable.executorch_program.execution_plan[0]
        (_, put), (_, add) = _instructions(executable)
        value, cache, start, out, result = put
        assert (value, out) == (plan.inputs[0], result)
        assert plan.values[start].val.int_val == 1
        assert add[0] == cache
        held = plan.values[cache].val
        assert (held.sizes, held.allocation_info is not None) == ([4, 2], True)
        places = [plan.values[number].val.allocation_info for number in (value, cache, out)]
        begins = {(place.memory_id, place.memory_offset_low) for place in places}
        assert len(begins) == 3


def test_two_writes_in_a_row():
    def body(self, x):
        _OPS.put(x, self.c, 0)
        _OPS.put(x * x, self.c, 2)
        return self.c + self.d

    _check(body, ["put.out", "aten::mul.out", "put.out", "aten::add.out"], shape=(2, 2))
    for executable in _both_ways(body, shape=(2, 2)):
        first, second = (
            arguments for name, arguments in _instructions(executable) if name.endswith("put.out")
        )
        assert first[1] == second[1]  # the cache


def test_who_needs_the_old_value_reads_a_copy():
    def body(self, x):
        old = self.c.clone()
        _OPS.add_into_(self.c, x)
        return self.c * old

    _check(body, ["dim_order_ops::_clone_dim_order.out", "add_into_", "aten::mul.out"])


def test_an_old_value_that_is_returned_is_a_copy():
    def body(self, x):
        old = self.c.clone()
        _OPS.add_into_(self.c, x)
        return old, self.c + x

    _check(body, ["dim_order_ops::_clone_dim_order.out", "add_into_", "aten::add.out"])


def test_an_operator_without_results_is_called_by_its_own_name():
    def body(self, x):
        _OPS.add_into_(self.c, x)
        return self.c * x

    _check(body, ["add_into_", "aten::mul.out"])
    for executable in _both_ways(body):
        assert len(_instructions(executable)[0][1]) == 2  # x and y, no place for a result


def test_a_result_besides_the_written_argument():
    _check(
        lambda self, x: _OPS.put(x, self.c, 0) + x,
        ["put.out", "aten::add.out"],
        shape=(3, 2),
    )


def test_two_written_arguments_and_two_results():
    def body(self, x):
        first, second = _OPS.both(self.c, self.d)
        return first + x, second + self.d

    _check(body, ["both.out", "aten::add.out", "aten::add.out"])


def test_a_list_of_written_arguments():
    def body(self, x):
        _OPS.all_of_([self.c, self.d], x)
        return self.c + self.d

    _check(body, ["all_of_", "aten::add.out"])


def test_an_intermediate_value_is_written():
    def body(self, x):
        y = x * self.c
        _OPS.add_into_(y, x)
        return y + x

    _check(body, ["aten::mul.out", "add_into_", "aten::add.out"])


def test_a_reshaped_copy_is_written_and_its_source_is_not():
    def body(self, x):
        y = x * self.c
        z = y.reshape(8).clone()
        _OPS.add_into_(z, torch.ones_like(z))
        return y + x, z * z

    for executable in _both_ways(body):
        eager = Stateful(body)
        x = torch.randn(4, 2)
        torch.testing.assert_close(ExecutionInterpreter(executable.exported_program())(x), eager(x))


def test_an_operator_that_reads_the_old_value_of_what_it_writes():
    def body(self, x):
        old = self.c.clone()
        _OPS.both(old, self.c)
        return _OPS.put(self.c.clone(), self.c, 0) + x + old

    for executable in _both_ways(body):
        eager = Stateful(body)
        run = ExecutionInterpreter(executable.exported_program())
        for _ in range(2):
            x = torch.randn(4, 2)
            torch.testing.assert_close(run(x), eager(x))


def test_an_input_is_written():
    def body(self, x):
        _OPS.add_into_(x, self.c)
        return x + self.d

    _check(body, ["add_into_", "aten::add.out"])
    for executable in _both_ways(body):
        given = torch.ones(4, 2)
        ExecutionInterpreter(executable.exported_program())(given)
        torch.testing.assert_close(given, torch.ones(4, 2) + torch.arange(8.0).reshape(4, 2))


def test_a_constant_stays_as_it_is():
    def body(self, x):
        y = torch.full((4, 2), 3.0)
        z = torch.tensor([[1.0, 2.0]] * 4)
        _OPS.add_into_(z, x)
        _OPS.add_into_(y, z)
        return y

    for executable in _both_ways(body):
        assert _names(executable).count("add_into_") == 2
        run = ExecutionInterpreter(executable.exported_program())
        for _ in range(2):  # a constant that was written would add up
            torch.testing.assert_close(run(torch.ones(4, 2)), body(None, torch.ones(4, 2)))


def test_a_slice_is_written():
    def body(self, x):
        _OPS.add_into_(self.c[1:3], x)
        return self.c * 2.0

    _check(
        body,
        [
            "aten::slice_copy.Tensor_out",
            "add_into_",
            "aten::slice_scatter.out",
            "aten::mul.out",
            "aten::copy_",
        ],
        shape=(2, 2),
    )


def test_a_reshaped_value_is_written():
    def body(self, x):
        _OPS.add_into_(self.c.view(8), x)
        return self.c + self.d

    for executable in _both_ways(body, shape=(8,)):
        eager = Stateful(body)
        run = ExecutionInterpreter(executable.exported_program())
        for _ in range(3):
            x = torch.randn(8)
            torch.testing.assert_close(run(x), eager(x))


def test_a_column_is_written():
    def body(self, x):
        _OPS.add_into_(self.c[:, 1], x)
        return self.c + self.d

    for executable in _both_ways(body, shape=(4,)):
        eager = Stateful(body)
        run = ExecutionInterpreter(executable.exported_program())
        for _ in range(3):
            x = torch.randn(4)
            torch.testing.assert_close(run(x), eager(x))


def test_other_views_are_refused_with_the_line_of_the_model():
    def body(self, x):
        _OPS.add_into_(self.c.diagonal(), x)
        return self.c + self.d

    with pytest.raises(SpecViolationError) as caught:
        list(_both_ways(body, shape=(2,)))
    message = str(caught.value)
    assert "mutating_ops_test.add_into_" in message
    assert "auto_functionalized" in message
    assert "mutating_ops_test.py" in message
    assert "Way out" in message


def test_an_operator_without_an_out_variant_is_refused_with_the_line_of_the_model():
    def body(self, x):
        _OPS.put_without_out(x, self.c, 0)
        return self.c + self.d

    with pytest.raises(MissingOutVariantError) as caught:
        list(_both_ways(body))
    message = str(caught.value)
    assert "put_without_out" in message
    assert "mutating_ops_test.py" in message
    assert "register mutating_ops_test::put_without_out.out" in message


def test_sizes_that_vary():
    rows = torch.export.Dim("rows", max=4)
    for executable in _both_ways(_put_rows, (3, 2), dynamic_shapes={"x": {0: rows}}):
        eager = Stateful(_put_rows)
        run = ExecutionInterpreter(executable.exported_program())
        for count in (3, 1, 4):
            x = torch.randn(count, 2)
            torch.testing.assert_close(run(x), eager(x))


def _put_rows(self, x):
    return _OPS.put(x, self.c, 0) + self.c


class _Cache(nn.Module):
    """A cache [4, 2] that is written from a row on that the caller chooses."""

    cache: torch.Tensor

    def __init__(self):
        super().__init__()
        self.register_buffer("cache", torch.zeros(4, 2))

    def forward(self, x, position):
        row = position.item()
        torch._check(row >= 0)
        torch._check(row < 4)
        _OPS.put(x, self.cache, row)
        return self.cache + self.cache


def test_a_place_that_the_data_decide():
    inputs = (torch.randn(1, 2), torch.tensor([2]))
    for lower in (to_edge, to_edge_transform_and_lower):
        executable = lower(torch.export.export(_Cache(), inputs, strict=False)).to_executorch()
        assert _names(executable) == ["aten::_local_scalar_dense", "put.out", "aten::add.out"]
        eager = _Cache()
        run = ExecutionInterpreter(executable.exported_program())
        for row in (2, 0, 3):
            step = (torch.randn(1, 2), torch.tensor([row]))
            torch.testing.assert_close(run(*step), eager(*step))
