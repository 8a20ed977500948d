"""Looking at programs with delegates."""

from typing import TextIO

from torch.fx import GraphModule

from executorch.partitioner import (
    get_lowered_backend_modules,
    get_lowered_submodules,
    tag_constant_data,
    tag_mutated_buffer,
)


def format_delegated_graph(graph_module: GraphModule) -> str:
    """The graph as text; after each ``get_attr`` of a delegate come its backend and the graph inside it."""
    delegates = {name: module for name, module, _ in get_lowered_submodules(graph_module)}
    lines = []
    for line in str(graph_module.graph).splitlines():
        lines.append(line)
        for name, module in delegates.items():
            if f"get_attr[target={name}]" in line:
                lines.append(f"        backend_id: {module.backend_id}")
                lines.append("        lowered graph():")
                inner = format_delegated_graph(module.original_module.graph_module)
                lines += ["        " + text for text in inner.splitlines()[1:]]
    return "\n".join(lines) + "\n"


def print_delegated_graph(graph_module: GraphModule, file: "TextIO | None" = None) -> None:
    """Prints :func:`format_delegated_graph`."""
    print(format_delegated_graph(graph_module), file=file)


__all__ = [
    "format_delegated_graph",
    "get_lowered_backend_modules",
    "get_lowered_submodules",
    "print_delegated_graph",
    "tag_constant_data",
    "tag_mutated_buffer",
]
