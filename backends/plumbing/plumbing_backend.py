"""The ahead-of-time half: every negation becomes a delegate of its own, whose blob is a checksum.

The run-time half computes the negation, after it has checked that blob, compile specs and named data belong together.
"""

from __future__ import annotations

import torch
from torch.export import ExportedProgram

from executorch.dialects import meta_keys
from executorch.partitioner import (
    BackendDetails,
    CompileSpec,
    DelegateMappingBuilder,
    DelegationSpec,
    NamedDataStore,
    Partitioner,
    PartitionResult,
    PreprocessResult,
    TargetSupport,
    note_reason,
)

#: Key of the named data that all delegates share; ``runtime/plumbing_backend.cc`` looks for it.
SHARED_KEY = "plumbing/shared"
SHARED = b"shared by all plumbing delegates"


def fail_init(code: int) -> CompileSpec:
    """An option with which ``init`` fails with the error ``code`` (1 to 255)."""
    return CompileSpec("fail_init", bytes([code]))


def fail_execute(code: int, call: int = 0) -> CompileSpec:
    """An option with which the ``call``-th ``execute`` of the delegate fails with the error ``code``."""
    return CompileSpec("fail_execute", bytes([code, call]))


class PlumbingBackend(BackendDetails):
    """Blob: a checksum of the shared data, then the node's name; one delegate per node, with the node's name as debug identifier."""

    @staticmethod
    def preprocess(edge_program: ExportedProgram, compile_specs: list[CompileSpec]) -> PreprocessResult:
        operators = [node for node in edge_program.graph.nodes if node.op == "call_function"]
        store = NamedDataStore()
        store.add_named_data(SHARED_KEY, SHARED)
        mapping = DelegateMappingBuilder()
        for node in operators:
            if node.meta.get(meta_keys.DEBUG_HANDLE) is not None:
                mapping.insert_delegate_mapping_entry(nodes=node, identifier=node.name)
        names = "".join(f"{node.name}\0" for node in operators)
        return PreprocessResult(
            processed_bytes=_checksum(SHARED) + names.encode(),
            debug_handle_map=mapping.get_delegate_mapping(),
            data_store_output=store.get_named_data_store_output(),
        )


def _checksum(content: bytes) -> bytes:
    """FNV-1a, 32 bits, little-endian: what a few lines of C++ can check."""
    value = 2166136261
    for byte in content:
        value = (value ^ byte) * 16777619 % 2**32
    return value.to_bytes(4, "little")


class PlumbingPartitioner(Partitioner):
    """Takes every float32 negation.

    Args:
        compile_specs: options for the run time, see ``fail_init`` and ``fail_execute``.
    """

    def __init__(self, compile_specs: list[CompileSpec] | None = None) -> None:
        super().__init__()
        self._delegation = DelegationSpec(PlumbingBackend.__name__, compile_specs or [])

    def partition(self, exported_program: ExportedProgram) -> PartitionResult:
        support = TargetSupport(["aten.neg.default"])
        tags: dict[str, DelegationSpec] = {}
        for module in exported_program.graph_module.modules():
            for node in module.graph.nodes if isinstance(module, torch.fx.GraphModule) else ():
                if not support.is_node_supported({}, node):
                    if node.op == "call_function":
                        note_reason(node, type(self).__name__, "not a negation")
                elif node.meta[meta_keys.VAL].dtype is not torch.float32:
                    note_reason(node, type(self).__name__, "not float32")
                else:
                    tag = f"plumbing_{len(tags)}"
                    node.meta[meta_keys.DELEGATION_TAG] = tag
                    tags[tag] = self._delegation
        return PartitionResult(exported_program, tags)
