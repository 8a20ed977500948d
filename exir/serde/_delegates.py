"""Lowered modules as bytes, and back."""

import io
import json
import zipfile
from collections.abc import Callable, Sequence
from typing import Any

from torch.export import ExportedProgram

from executorch.dialects import meta_keys
from executorch.partitioner import CompileSpec, LoweredBackendModule, NamedDataStoreOutput
from executorch.partitioner.interface.named_data_store import DataEntry
from executorch.schema.flat_tensor import TensorLayout
from executorch.schema.scalar_type import ScalarType

_META = "debug_handle_map"


def pack_delegates(
    modules: Sequence[LoweredBackendModule], write_program: Callable[[ExportedProgram], bytes]
) -> bytes:
    """A zip file with one directory for each module.

    Args:
        modules: in the order of their numbers.
        write_program: turns the subgraph that a module stands for into bytes.
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for number, module in enumerate(modules):
            archive.writestr(f"{number}/processed_bytes", bytes(module.processed_bytes))
            archive.writestr(f"{number}/program", write_program(module.original_module))
            for index, spec in enumerate(module.compile_specs):
                archive.writestr(f"{number}/compile_specs/{index}", bytes(spec.value))
            data = module.named_data_store_output
            for index, content in enumerate(data.buffers if data is not None else ()):
                archive.writestr(f"{number}/buffers/{index}", bytes(content))
            archive.writestr(f"{number}/module.json", json.dumps(_description(module)))
    return buffer.getvalue()


def unpack_delegates(
    packed: bytes, read_program: Callable[[bytes], ExportedProgram]
) -> list[LoweredBackendModule]:
    """The modules in the bytes of :func:`pack_delegates`.

    Raises:
        zipfile.BadZipFile, KeyError: the bytes are damaged.
    """
    modules = []
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        count = sum(name.endswith("/module.json") for name in archive.namelist())
        for number in range(count):
            described = json.loads(archive.read(f"{number}/module.json"))
            specs = [
                CompileSpec(key, archive.read(f"{number}/compile_specs/{index}"))
                for index, key in enumerate(described["compile_specs"])
            ]
            module = LoweredBackendModule(
                read_program(archive.read(f"{number}/program")),
                described["backend_id"],
                archive.read(f"{number}/processed_bytes"),
                specs,
                _named_data(described["named_data"], archive, number),
            )
            if described[_META] is not None:
                module.meta[_META] = {
                    key if described["names"] else int(key): tuple(handles)
                    for key, handles in described[_META].items()
                }
            if meta_keys.READ_AHEAD in described:
                module.meta[meta_keys.READ_AHEAD] = described[meta_keys.READ_AHEAD]
            modules.append(module)
    return modules


def _description(module: LoweredBackendModule) -> dict[str, Any]:
    handles = module.meta.get(_META)
    data = module.named_data_store_output
    read_ahead = module.meta.get(meta_keys.READ_AHEAD)
    return {
        "backend_id": module.backend_id,
        "compile_specs": [spec.key for spec in module.compile_specs],
        "named_data": None if data is None else _described_data(data),
        # Identifiers of a map are all numbers or all names; JSON knows names only.
        "names": any(isinstance(key, str) for key in handles or ()),
        _META: None
        if handles is None
        else {
            str(key): list(value) if isinstance(value, (list, tuple)) else [value]
            for key, value in handles.items()
        },
        **({} if read_ahead is None else {meta_keys.READ_AHEAD: read_ahead}),
    }


def _described_data(data: NamedDataStoreOutput) -> dict[str, Any]:
    def entries(named: Any) -> dict[str, Any]:
        return {key: [e.buffer_index, e.alignment, _layout(e.tensor_layout)] for key, e in named.items()}

    return {
        "count": len(data.buffers),
        "pte": entries(data.pte_data),
        "external": {tag: entries(named) for tag, named in data.external_data.items()},
    }


def _layout(layout: "TensorLayout | None") -> Any:
    return None if layout is None else [int(layout.scalar_type), list(layout.sizes), list(layout.dim_order)]


def _named_data(
    described: "dict[str, Any] | None", archive: zipfile.ZipFile, number: int
) -> "NamedDataStoreOutput | None":
    if described is None:
        return None

    def entries(named: dict[str, Any]) -> dict[str, DataEntry]:
        return {
            key: DataEntry(
                index,
                alignment,
                None if layout is None else TensorLayout(ScalarType(layout[0]), layout[1], layout[2]),
            )
            for key, (index, alignment, layout) in named.items()
        }

    buffers = [archive.read(f"{number}/buffers/{index}") for index in range(described["count"])]
    external = {tag: entries(named) for tag, named in described["external"].items()}
    return NamedDataStoreOutput(buffers, entries(described["pte"]), external)
