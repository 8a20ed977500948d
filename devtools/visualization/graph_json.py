"""Programs as graphs in the form that Model Explorer reads."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
from torch.export import ExportedProgram

#: The name under which the viewer lists the graphs.
LABEL = "Executorch"
#: Elements of a constant that are shown; longer ones are only described.
_SHOWN_ELEMENTS = 16

NameOf = Callable[[torch.fx.Node], "str | None"]


def collection(
    program: ExportedProgram,
    namespace_of: Callable[[torch.fx.Node], str],
    graph_module: torch.fx.GraphModule | None = None,
) -> dict[str, Any]:
    """A program as what Model Explorer calls a collection of graphs.

    Args:
        program: The program; submodules of control flow become graphs of their own.
        namespace_of: Path of the group that a node is in, with slashes between nested ones; empty for none.
        graph_module: Another graph over the program's weights, in place of its own.
    """
    described = _constants(program)
    graphs = []
    for name, module in (graph_module or program.graph_module).named_modules():
        if isinstance(module, torch.fx.GraphModule):
            nodes = [_node(node, namespace_of, described) for node in module.graph.nodes]
            graphs.append({"id": name or "graph", "nodes": nodes, "collectionLabel": LABEL})
    return {"label": LABEL, "graphs": graphs}


def write_json(graphs: Mapping[str, Any], path: str | os.PathLike[str]) -> None:
    """Writes a collection to a file that the viewer opens."""
    with open(path, "w", encoding="utf-8") as file:
        json.dump(graphs, file)


def module_path(node: torch.fx.Node) -> str:
    """The modules of the model that a node comes from, outermost first: ``Net/layers (ModuleList)/0 (Linear)``."""
    parts = []
    above = ""
    for entry in (node.meta.get("nn_module_stack") or {}).values():
        path, kind = entry[0], entry[1]
        kind = kind if isinstance(kind, str) else kind.__name__
        kind = kind.rsplit(".", 1)[-1]
        own = path.removeprefix(f"{above}.") if above else path
        parts.append(f"{own} ({kind})" if own else kind)
        above = path
    return "/".join(parts)


def cluster_path(partition_of: NameOf, cluster_of: NameOf) -> Callable[[torch.fx.Node], str]:
    """Groups by partition, numbered as they come, and within it by cluster."""
    numbers: dict[str, int] = {}

    def path(node: torch.fx.Node) -> str:
        partition, cluster = partition_of(node), cluster_of(node)
        parts = []
        if partition:
            parts.append(f"partition {numbers.setdefault(partition, len(numbers))} ({partition})")
        if cluster:
            parts.append(f"cluster ({cluster})")
        return "/".join(parts)

    return path


def _node(
    node: torch.fx.Node, namespace_of: Callable[[torch.fx.Node], str], described: Mapping[str, list[Any]]
) -> dict[str, Any]:
    return {
        "id": node.name,
        "label": _label(node),
        "namespace": namespace_of(node),
        "attrs": [*_arguments(node), *described.get(node.name, [])],
        "incomingEdges": [
            {"sourceNodeId": source.name, "sourceNodeOutputId": "0", "targetNodeInputId": str(place)}
            for place, source in enumerate(node.all_input_nodes)
        ],
        "outputsMetadata": [
            {"id": str(place), "attrs": [_attribute("tensor_shape", _shape(value))]}
            for place, value in enumerate(_tensors(node.meta.get("val")))
        ],
    }


def _label(node: torch.fx.Node) -> str:
    if node.op != "call_function":
        return node.name
    name = getattr(node.target, "_schema", None)
    # Without the overload, as the model was written.
    return (
        name.name.replace("::", ".")
        if name is not None
        else getattr(node.target, "__name__", str(node.target))
    )


def _arguments(node: torch.fx.Node) -> Iterator[dict[str, str]]:
    if node.op != "call_function":
        return
    schema = getattr(node.target, "_schema", None)
    names = [argument.name for argument in schema.arguments] if schema is not None else []
    for place, value in enumerate(node.args):
        yield _attribute(names[place] if place < len(names) else f"argument {place}", str(value))
    for name, value in node.kwargs.items():
        yield _attribute(name, str(value))


def _constants(program: ExportedProgram) -> dict[str, list[Any]]:
    """Placeholder to what is shown of the weight or constant behind it."""
    found = {}
    for spec in program.graph_signature.input_specs:
        name, target = getattr(spec.arg, "name", None), spec.target
        if name is None or target is None:
            continue
        value = program.state_dict.get(target, program.constants.get(target))
        shown = [_attribute("target", target)]
        if isinstance(value, torch.Tensor) and value.numel() <= _SHOWN_ELEMENTS:
            shown.append(_attribute("__value", str(value.tolist())))
        found[name] = shown
    return found


def _tensors(value: Any) -> list[torch.Tensor]:
    values = value if isinstance(value, (list, tuple)) else [value]
    return [item for item in values if isinstance(item, torch.Tensor)]


def _shape(tensor: torch.Tensor) -> str:
    return f"{tensor.dtype}[{', '.join(map(str, tensor.shape))}]"


def _attribute(key: str, value: str) -> dict[str, str]:
    return {"key": key, "value": value}


__all__ = ["LABEL", "cluster_path", "collection", "module_path", "write_json"]
