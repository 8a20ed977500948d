"""Kernels that ask for work space get it from planned memory."""

import types

import pytest
import torch

from executorch.dialects import memory
from executorch.passes.on_request.to_scratch_op_pass import to_scratch_op_pass
from executorch.passes.programs_for_tests import edge, find
from executorch.passes.to_execution.to_out_var_pass import ToOutVarPass

_LIBRARY = torch.library.Library("scratch_test", "DEF")
_LIBRARY.define("work(Tensor x) -> Tensor")
_LIBRARY.define("work.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)")
_LIBRARY.define("work.space(Tensor x, *, Tensor(b!) _scratch_rows, Tensor(a!) out) -> Tensor(a!)")
_LIBRARY.impl("work", lambda x: x * 2, "CompositeExplicitAutograd")
WORK = torch.ops.scratch_test.work


@pytest.fixture
def program():
    lowered = edge(lambda x: torch.ops.scratch_test.work(x).relu(), torch.rand(3, 4))
    ToOutVarPass()(lowered.graph_module)
    return lowered


def _ask(monkeypatch, names):
    def metas(x, *, out):
        assert tuple(x.shape) == tuple(out.shape)
        return {name: types.SimpleNamespace(dtype=torch.int32, shape=(x.shape[0],)) for name in names}

    monkeypatch.setattr(WORK.out, "get_scratch_metas", metas, raising=False)


def test_calls_take_work_space(program, monkeypatch):
    _ask(monkeypatch, ["_scratch_rows"])
    assert to_scratch_op_pass(program.graph_module).modified
    call = find(program, "scratch_test.work.space")
    scratch = call.kwargs["_scratch_rows"]
    assert scratch.target is memory.alloc and scratch.meta["spec"].shape == [3]
    assert scratch.meta["spec"].scalar_type == torch.int32
    assert call.kwargs["out"].target is memory.alloc
    assert not to_scratch_op_pass(program.graph_module).modified


def test_calls_stay_where_nobody_says_how_much(program):
    assert not to_scratch_op_pass(program.graph_module).modified
    assert find(program, "scratch_test.work.out")


def test_work_space_for_other_arguments_is_refused(program, monkeypatch):
    _ask(monkeypatch, ["_scratch_columns"])
    with pytest.raises(ValueError, match=r"speaks of \['_scratch_columns'\].*takes \['_scratch_rows'\]"):
        to_scratch_op_pass(program.graph_module)
