"""ETDump files: bytes to the objects of :mod:`executorch.devtools.etdump.schema_flatcc` and back."""

from __future__ import annotations

import struct

import executorch.schema.etdump as schema
from executorch.devtools.etdump import schema_flatcc as flatcc

_PREFIX = struct.Struct("<I")
_IDENTIFIER = b"ED00"
_UNSET = -1
# The format counts chains without a sign, events outside of any have -1 all the same.
_UNSIGNED = 1 << 64


def deserialize_from_etdump_flatcc(data: bytes, size_prefixed: bool = True) -> flatcc.ETDumpFlatCC:
    """Reads an ETDump.

    Args:
        data: The contents of an ``.etdp`` file.
        size_prefixed: Whether four bytes with the length come first, as the runtime writes them; where the
            identifier shows that they do, False is overruled.

    Raises:
        ValueError: The bytes are not an ETDump, or not all of it.
    """
    body = memoryview(data)
    # What is written here has the length; readers of other writers' files say that theirs have none.
    if bytes(body[4:8]) != _IDENTIFIER and bytes(body[8:12]) == _IDENTIFIER:
        size_prefixed = True
    if size_prefixed:
        if len(body) < _PREFIX.size:
            raise ValueError(f"an ETDump starts with four bytes of length, but there are {len(body)} bytes")
        (length,) = _PREFIX.unpack_from(body)
        if length > len(body) - _PREFIX.size:
            raise ValueError(
                f"the ETDump should have {length} bytes, but {len(body) - _PREFIX.size} are there"
            )
        body = body[_PREFIX.size : _PREFIX.size + length]
    if bytes(body[4:8]) != _IDENTIFIER:
        raise ValueError(
            f"not an ETDump: the identifier is {bytes(body[4:8])!r}, expected {_IDENTIFIER!r}"
            + ("; does the file lack the length prefix (size_prefixed=False)?" if size_prefixed else "")
        )
    etdump = schema.read_etdump(body)
    return flatcc.ETDumpFlatCC(version=etdump.version, run_data=[_run_from(run) for run in etdump.run_data])


def serialize_to_etdump_flatcc(etdump: flatcc.ETDumpFlatCC) -> bytes:
    """Writes an ETDump, with the length prefix."""
    root = schema.ETDump(version=etdump.version, run_data=[_run_to(run) for run in etdump.run_data])
    message = schema.write_etdump(root).tobytes()
    return _PREFIX.pack(len(message)) + message


def _run_from(run: schema.RunData) -> flatcc.RunData:
    return flatcc.RunData(
        name=run.name,
        bundled_input_index=run.bundled_input_index,
        allocators=[flatcc.Allocator(allocator.name) for allocator in run.allocators],
        events=[_event_from(event) for event in run.events],
    )


def _event_from(event: schema.Event) -> flatcc.Event:
    allocation = event.allocation_event
    return flatcc.Event(
        profile_event=None if event.profile_event is None else _profile_from(event.profile_event),
        allocation_event=None
        if allocation is None
        else flatcc.AllocationEvent(allocation.allocator_id, allocation.allocation_size),
        debug_event=None if event.debug_event is None else _debug_from(event.debug_event),
    )


def _profile_from(event: schema.ProfileEvent) -> flatcc.ProfileEvent:
    return flatcc.ProfileEvent(
        name=event.name or None,
        chain_index=event.chain_index,
        instruction_id=event.instruction_id,
        delegate_debug_id_int=event.delegate_debug_id_int,
        delegate_debug_id_str=event.delegate_debug_id_str,
        delegate_debug_metadata=event.delegate_debug_metadata,
        start_time=event.start_time,
        end_time=event.end_time,
    )


def _debug_from(event: schema.DebugEvent) -> flatcc.DebugEvent:
    chain = event.chain_index
    return flatcc.DebugEvent(
        name=event.name or None,
        chain_index=chain - _UNSIGNED if chain >= _UNSIGNED // 2 else chain,
        instruction_id=event.instruction_id,
        delegate_debug_id_int=event.delegate_debug_id_int,
        delegate_debug_id_str=event.delegate_debug_id_str,
        debug_entry=_value_from(event.debug_entry or schema.Value()),
    )


def _tensor_from(tensor: schema.Tensor) -> flatcc.Tensor:
    return flatcc.Tensor(tensor.scalar_type, list(tensor.sizes), list(tensor.strides), tensor.offset)


def _value_from(value: schema.Value) -> flatcc.Value:
    tensors = value.tensor_list
    return flatcc.Value(
        val=schema.ValueType(value.val).name,
        tensor=None if value.tensor is None else _tensor_from(value.tensor),
        tensor_list=None
        if tensors is None
        else flatcc.TensorList([_tensor_from(t) for t in tensors.tensors]),
        int_value=None if value.int_value is None else flatcc.Int(value.int_value.int_val),
        float_value=None if value.float_value is None else flatcc.Float(value.float_value.float_val),
        double_value=None if value.double_value is None else flatcc.Double(value.double_value.double_val),
        bool_value=None if value.bool_value is None else flatcc.Bool(value.bool_value.bool_val),
        output=None if value.output is None else flatcc.Bool(value.output.bool_val),
    )


def _run_to(run: flatcc.RunData) -> schema.RunData:
    index = run.bundled_input_index
    return schema.RunData(
        name=run.name,
        bundled_input_index=_UNSET if index is None else index,
        allocators=[schema.Allocator(allocator.name) for allocator in run.allocators or ()],
        events=[_event_to(event) for event in run.events or ()],
    )


def _event_to(event: flatcc.Event) -> schema.Event:
    allocation = event.allocation_event
    return schema.Event(
        profile_event=None if event.profile_event is None else _profile_to(event.profile_event),
        allocation_event=None
        if allocation is None
        else schema.AllocationEvent(allocation.allocator_id, allocation.allocation_size),
        debug_event=None if event.debug_event is None else _debug_to(event.debug_event),
    )


def _number(value: int | None) -> int:
    return _UNSET if value is None else value


def _profile_to(event: flatcc.ProfileEvent) -> schema.ProfileEvent:
    return schema.ProfileEvent(
        name=event.name or "",
        chain_index=event.chain_index,
        instruction_id=event.instruction_id,
        delegate_debug_id_int=_number(event.delegate_debug_id_int),
        delegate_debug_id_str=event.delegate_debug_id_str,
        delegate_debug_metadata=event.delegate_debug_metadata,
        start_time=event.start_time,
        end_time=event.end_time,
    )


def _debug_to(event: flatcc.DebugEvent) -> schema.DebugEvent:
    return schema.DebugEvent(
        name=event.name or "",
        chain_index=event.chain_index % _UNSIGNED,
        instruction_id=event.instruction_id,
        delegate_debug_id_int=_number(event.delegate_debug_id_int),
        delegate_debug_id_str=event.delegate_debug_id_str,
        debug_entry=_value_to(event.debug_entry),
    )


def _tensor_to(tensor: flatcc.Tensor) -> schema.Tensor:
    return schema.Tensor(
        scalar_type=tensor.scalar_type,
        sizes=list(tensor.sizes),
        strides=list(tensor.strides),
        offset=tensor.offset or 0,
    )


def _value_to(value: flatcc.Value) -> schema.Value:
    tensors = value.tensor_list
    return schema.Value(
        val=schema.ValueType[value.val],
        tensor=None if value.tensor is None else _tensor_to(value.tensor),
        tensor_list=None if tensors is None else schema.TensorList([_tensor_to(t) for t in tensors.tensors]),
        int_value=None if value.int_value is None else schema.Int(value.int_value.int_val),
        float_value=None if value.float_value is None else schema.Float(value.float_value.float_val),
        double_value=None if value.double_value is None else schema.Double(value.double_value.double_val),
        bool_value=None if value.bool_value is None else schema.Bool(value.bool_value.bool_val),
        output=None if value.output is None else schema.Bool(value.output.bool_val),
    )
