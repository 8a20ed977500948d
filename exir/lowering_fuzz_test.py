"""Random programs full of views, in-place writes and buffers compute what eager PyTorch computes."""

import copy
import os
import random

import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from executorch.exir import to_edge
from executorch.exir.interpreter_for_tests import ExecutionInterpreter

_STEPS = 8
_EXAMPLES = int(os.environ.get("EXIR_FUZZ_EXAMPLES", "25"))

#: One step: what it needs of the values so far (2 x 6 or 12 elements), and what it adds or writes.
_VIEWS = [
    lambda v: v.view(-1).view(v.shape),
    lambda v: v.reshape(3, 4).reshape(2, 6),
    lambda v: v.unsqueeze(0).squeeze(0),
    lambda v: v[:, :],
    lambda v: v.detach(),
]
_VALUES = [
    lambda v, w: v + w,
    lambda v, w: v * 2 - w,
    lambda v, w: v.t().contiguous().view(2, 6),
    lambda v, w: torch.cat([v[:1], w[1:]]),
    lambda v, w: torch.where(v > w, v, w),
    lambda v, w: v.clone(),
    lambda v, w: torch.stack(w.unbind(1), 1),
    lambda v, w: v.flip(0) + w.sum(0),
]
_WRITES = [
    lambda v, w: v.add_(1),
    lambda v, w: v.mul_(w.mean()),
    lambda v, w: v.copy_(w),
    lambda v, w: v[0].add_(w[1]),
    lambda v, w: v[:, 1:3].mul_(2),
    lambda v, w: v.view(-1)[2:4].fill_(3),
    lambda v, w: v.index_put_((torch.tensor([1]),), w[0]),
    lambda v, w: v.t()[1].sub_(1),
    lambda v, w: v.clamp_(max=4),
    lambda v, w: v.zero_(),
]


class _Random(torch.nn.Module):
    def __init__(self, seed):
        super().__init__()
        self.seed = seed
        self.register_buffer("a", torch.arange(12.0).view(2, 6))
        self.register_buffer("b", torch.ones(2, 6))

    def forward(self, x, y):
        choose = random.Random(self.seed)
        values = [x * 1, y + 0, self.a, self.b]
        for _ in range(_STEPS):
            v, w = choose.choice(values), choose.choice(values)
            kind = choose.choice(["view", "value", "write"])
            if kind == "view":
                values.append(choose.choice(_VIEWS)(v))
            elif kind == "value":
                values.append(choose.choice(_VALUES)(v, w))
            else:
                choose.choice(_WRITES)(v, w.clone())
        results = choose.sample(values, 3)
        # Eager returns aliases of what may be written later in the call; a program returns values.
        return tuple(value.clone() for value in results)


@settings(
    max_examples=_EXAMPLES,
    deadline=None,
    database=None,
    derandomize="EXIR_FUZZ_EXAMPLES" not in os.environ,
    suppress_health_check=list(HealthCheck),
)
@given(st.integers(0, 10**9))
def test_random_programs(seed):
    inputs = torch.randn(2, 6), torch.randn(2, 6)
    model = _Random(seed)
    eager = copy.deepcopy(model)
    program = to_edge(torch.export.export(model, inputs)).to_executorch().exported_program()
    interpreter = ExecutionInterpreter(program)
    for _ in range(2):
        for actual, expected in zip(interpreter(*inputs), eager(*inputs), strict=True):
            torch.testing.assert_close(actual, expected, msg=lambda text: f"seed {seed}: {text}")


def test_the_programs_write_and_view():
    targets = set()
    for seed in range(6):
        program = torch.export.export(_Random(seed), (torch.randn(2, 6), torch.randn(2, 6)))
        targets |= {node.target for node in program.graph.nodes if node.op == "call_function"}
    overloads = [target for target in targets if isinstance(target, torch._ops.OpOverload)]
    assert sum(op._schema.is_mutable for op in overloads) >= 4
    assert sum(op.is_view for op in overloads) >= 4
