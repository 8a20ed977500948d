"""From an emitted program to its files."""

from executorch.emitter import (
    Cord,
    DataPayload,
    DataSerializer,
    EmitterOutput,
    PTEFile,
    serialize_pte_binary,
)
from executorch.emitter.named_data import DataCollector, NamedDataLike
from executorch.exir.capture._config import ExecutorchBackendConfig


def serialize_for_executorch(
    emitter_output: EmitterOutput,
    config: ExecutorchBackendConfig,
    data_serializer: DataSerializer,
    named_data_store: "NamedDataLike | None" = None,
) -> "tuple[Cord, dict[str, Cord]]":
    """The ``.pte`` file of an emitted program, and its data files by name without suffix.

    Args:
        emitter_output: what :func:`executorch.exir.emit.emit_program` returned.
        config: alignments, and whether delegates get segments.
        data_serializer: writes the data files.
        named_data_store: data of delegates besides what ``emitter_output`` has.

    Raises:
        ValueError: two data have one name and different content.
    """
    named, external = (
        DataCollector(),
        {tag: _collector(data) for tag, data in emitter_output.external_data.items()},
    )
    if emitter_output.named_data is not None:
        named.merge(emitter_output.named_data.buffers, emitter_output.named_data.named_data)
    if named_data_store is not None:
        named.merge(named_data_store.buffers, named_data_store.pte_data)
        for tag, entries in named_data_store.external_data.items():
            external.setdefault(tag, DataCollector()).merge(named_data_store.buffers, entries)
    pte = serialize_pte_binary(
        PTEFile(
            emitter_output.program,
            emitter_output.mutable_data,
            named.payload if named.payload.named_data else None,
        ),
        extract_delegate_segments=config.extract_delegate_segments,
        segment_alignment=config.segment_alignment,
        constant_tensor_alignment=config.constant_tensor_alignment,
        delegate_alignment=config.delegate_alignment,
    )
    return pte, {tag: data_serializer.serialize(external[tag].payload) for tag in sorted(external)}


def _collector(payload: DataPayload) -> DataCollector:
    collector = DataCollector()
    collector.merge(payload.buffers, payload.named_data)
    return collector
