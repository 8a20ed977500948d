"""Where the bytes of a program are: weights, delegates, and the rest.

::

    python -m executorch.devtools.size_analysis_tool.size_analysis_tool --etrecord_path=model.etrecord
"""

from __future__ import annotations

import argparse
import json
import pathlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch.export import ExportedProgram

from executorch.devtools.etrecord import parse_etrecord
from executorch.partitioner import LoweredBackendModule

#: From a delegate's bytes to what should be said about them.
DelegateDeserializers = Mapping[str, Callable[[bytes], dict[str, Any]]]


def generate_model_size_information(
    model: ExportedProgram,
    delegate_deserializers: DelegateDeserializers | None = None,
    flatbuffer: bytes | None = None,
) -> dict[str, Any]:
    """What takes the space in a program, as values that JSON knows.

    Args:
        model: The program: what was exported, an edge program, or ``exported_program()`` of an
            ``ExecutorchProgramManager``. Operators of control flow and delegates are looked into.
        delegate_deserializers: Backend to a function that says more about its bytes; its entries are added to those
            of the delegate.
        flatbuffer: The ``.pte`` file's contents.

    Returns:
        ``tensor_data``: name, number of elements, dtype, size of an element, shape, bytes and modules of each weight,
        buffer and constant. ``delegate_blob_data``: name, backend and bytes of each delegate. ``overview``: their
        sums in bytes, and with ``flatbuffer`` its size and what is neither. Lists are sorted by size, largest first.
    """
    tensors = _tensors_of(model)
    blobs: list[dict[str, Any]] = []
    for name, module in _lowered_modules(model.graph_module):
        deserialize = (delegate_deserializers or {}).get(module.backend_id)
        blobs.append(
            {
                "name": name,
                "backend_id": module.backend_id,
                "num_bytes": len(module.processed_bytes),
                **({} if deserialize is None else deserialize(module.processed_bytes)),
            }
        )
    tensors.sort(key=_size, reverse=True)
    blobs.sort(key=_size, reverse=True)
    overview = {
        "total_tensor_data_size": sum(map(_size, tensors)),
        "total_delegate_blob_data_size": sum(map(_size, blobs)),
    }
    if flatbuffer is not None:
        overview["serialization_metadata_size"] = len(flatbuffer) - sum(overview.values())
        overview["model_size"] = len(flatbuffer)
    return {"tensor_data": tensors, "delegate_blob_data": blobs, "overview": overview}


def _size(entry: dict[str, Any]) -> int:
    return int(entry["num_bytes"])


def _tensors_of(program: ExportedProgram) -> list[dict[str, Any]]:
    placeholders = {node.name: node for node in program.graph.nodes if node.op == "placeholder"}
    found = []
    for spec in program.graph_signature.input_specs:
        value = (
            program.state_dict.get(spec.target, program.constants.get(spec.target)) if spec.target else None
        )
        if isinstance(value, torch.Tensor):
            found.append(_described(spec.arg.name, value, placeholders.get(spec.arg.name)))
    # Constants that a pass put into the graph itself.
    for node in program.graph.nodes:
        if node.op == "get_attr":
            value = getattr(program.graph_module, str(node.target), None)
            if isinstance(value, torch.Tensor):
                found.append(_described(node.name, value, node))
    return found


def _described(name: str, tensor: torch.Tensor, node: torch.fx.Node | None) -> dict[str, Any]:
    modules = None if node is None else node.meta.get("nn_module_stack")
    return {
        "name": name,
        "numel": tensor.numel(),
        "dtype": str(tensor.dtype).removeprefix("torch."),
        "element_size": tensor.element_size(),
        "shape": list(tensor.shape),
        "num_bytes": tensor.numel() * tensor.element_size(),
        "nn_module_stack": None if not modules else [str(entry) for entry in modules.values()],
    }


def _lowered_modules(module: torch.nn.Module, prefix: str = "") -> list[tuple[str, LoweredBackendModule]]:
    """Delegates of a graph and of its branches, by their path."""
    found: list[tuple[str, LoweredBackendModule]] = []
    for name, child in module.named_children():
        path = f"{prefix}{name}"
        if isinstance(child, LoweredBackendModule):
            found.append((path, child))
        else:
            found += _lowered_modules(child, f"{path}.")
    return found


def parse_args(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(description="Where the bytes of a program are.")
    parser.add_argument("--etrecord_path", required=True, help="the ETRecord with the program")
    parser.add_argument("--program_path", help="the .pte file, to say what else is in it")
    parser.add_argument("--method", default="forward", help="the method of the program")
    parser.add_argument("--output_path", help="where to write the result; standard output by default")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line; see :func:`parse_args`.

    Raises:
        SystemExit: The arguments are wrong, or the method is not in the ETRecord.
    """
    options = parse_args(arguments)
    programs = parse_etrecord(options.etrecord_path).edge_programs()
    if options.method not in programs:
        raise SystemExit(f"the ETRecord has no method {options.method!r}; there are {sorted(programs)}")
    flatbuffer = None if options.program_path is None else pathlib.Path(options.program_path).read_bytes()
    text = json.dumps(
        generate_model_size_information(programs[options.method], flatbuffer=flatbuffer), indent=2
    )
    if options.output_path is None:
        print(text)
    else:
        pathlib.Path(options.output_path).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
