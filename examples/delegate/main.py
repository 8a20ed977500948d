"""The tutorial's backend on a real model: what was delegated, why the rest was not, and that the numbers are right.

./bazelw run //examples/delegate -- --time 24
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass

# First: it gives executorch.runtime the bindings with the bytecode backend inside.
import executorch.examples.delegate.bindings_with_bytecode  # noqa: F401  isort: skip

import torch
from absl import app, flags
from torch.export import Dim, export

from executorch.backends.bytecode import BytecodePartitioner
from executorch.examples.delegate.model import SmallModel
from executorch.exir import to_edge_transform_and_lower
from executorch.partitioner import get_delegation_info, get_lowered_submodules, print_reasons
from executorch.runtime import Runtime

_MAX_TIME = 32
_TIME = flags.DEFINE_integer(
    "time",
    24,
    f"Tokens of the input; the program takes 2 to {_MAX_TIME}.",
    lower_bound=2,
    upper_bound=_MAX_TIME,
)
_MIN_NODES = flags.DEFINE_integer(
    "min_nodes", 2, "Smallest run that is worth a delegate call.", lower_bound=1
)


@dataclass(frozen=True)
class Result:
    """What the example found.

    Attributes:
        delegates: delegate calls in the program.
        delegated_nodes: operators inside them.
        other_nodes: operators outside.
        delegate_bytes: of all blobs.
        pte_bytes: of the program.
        largest_difference: of a logit from eager's.
        equal: whether all logits are eager's, to float32's precision.
    """

    delegates: int
    delegated_nodes: int
    other_nodes: int
    delegate_bytes: int
    pte_bytes: int
    largest_difference: float
    equal: bool


def run(time: int, min_nodes: int) -> Result:
    """Lowers the model, prints both tables, and compares the program with eager on ``time`` tokens."""
    torch.manual_seed(0)
    model = SmallModel().eval()
    example = (torch.randint(64, (1, 16)),)
    exported = export(model, example, dynamic_shapes=({1: Dim("time", min=2, max=_MAX_TIME)},))
    edge = to_edge_transform_and_lower(exported, partitioner=[BytecodePartitioner(min_nodes=min_nodes)])
    graph_module = edge.exported_program().graph_module
    info = get_delegation_info(graph_module)
    print(info.get_summary())
    print(info.format_table())
    print()
    print_reasons(graph_module)
    blobs = [len(module.processed_bytes) for _, module, _ in get_lowered_submodules(graph_module)]
    pte = bytes(edge.to_executorch().buffer)
    tokens = torch.randint(64, (1, time))
    (logits,) = Runtime.get().load_program(pte).load_method("forward").execute([tokens])
    expected = model(tokens).detach()
    return Result(
        delegates=info.num_delegated_subgraphs,
        delegated_nodes=info.num_delegated_nodes,
        other_nodes=info.num_non_delegated_nodes,
        delegate_bytes=sum(blobs),
        pte_bytes=len(pte),
        largest_difference=(logits - expected).abs().max().item(),
        equal=torch.allclose(logits, expected, rtol=1e-4, atol=1e-5),
    )


def main(argv: Sequence[str]) -> int:
    del argv
    result = run(_TIME.value, _MIN_NODES.value)
    print("RESULT " + json.dumps(asdict(result)))
    return 0 if result.equal else 1


if __name__ == "__main__":
    app.run(lambda argv: sys.exit(main(argv)))
