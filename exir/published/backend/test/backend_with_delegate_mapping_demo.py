"""The documented demonstration of debug handle maps: a backend that fuses and takes apart.

``relu(convolution(x))`` becomes one operator of the delegate, which stands for two nodes; ``tan(x)`` becomes three,
which all stand for one. There is no run time: the map is what is shown.
"""

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from executorch.dialects.edge_ops import aten_op
from executorch.partitioner import BackendDetails, CompileSpec, DelegateMappingBuilder, PreprocessResult

_aten = torch.ops.aten


class BackendWithDelegateMappingDemo(BackendDetails):
    """Blob: ``2#conv_relu_op,0,sin_decomp_from_tan,1,``, names with their identifiers; other operators are left out."""

    @staticmethod
    def preprocess(edge_program: ExportedProgram, compile_specs: list[CompileSpec]) -> PreprocessResult:
        del compile_specs
        builder = DelegateMappingBuilder(generated_identifiers=True)
        entries: list[str] = []
        for node in edge_program.graph.nodes:
            for name, sources in _operators(node):
                entries.append(f"{name},{builder.insert_delegate_mapping_entry(nodes=sources)},")
        text = f"{len(entries)}#" + "".join(entries)
        return PreprocessResult(text.encode(), debug_handle_map=builder.get_delegate_mapping())

    @staticmethod
    def get_test_model_and_inputs() -> tuple[torch.nn.Module, tuple[torch.Tensor, ...]]:
        """A model with everything that the backend takes, and its input."""

        class TwoLayersAndTangent(torch.nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.first = torch.nn.Conv2d(3, 16, 3, padding=1)
                self.second = torch.nn.Conv2d(16, 32, 3, padding=1)

            def forward(self, x: torch.Tensor) -> torch.Tensor:
                return torch.tan(self.second(self.first(x).relu()).relu())

        return TwoLayersAndTangent(), (torch.ones(4, 3, 64, 64),)


def _operators(node: Node) -> list[tuple[str, list[Node]]]:
    """The delegate's operators that end at a node, with the nodes that they stand for."""
    op = aten_op(node.target) if node.op == "call_function" else None
    if op is _aten.relu.default:
        source = node.args[0]
        if isinstance(source, Node) and aten_op(source.target) is _aten.convolution.default:
            return [("conv_relu_op", [source, node])]
    if op is _aten.tan.default:
        return [(f"{part}_decomp_from_tan", [node]) for part in ("sin", "cos", "div")]
    return []
