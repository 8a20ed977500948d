"""Constants and initial states of all methods of a program; equal bytes are stored once."""

from __future__ import annotations

import torch

from executorch.dialects.tensor_spec import TensorSpec
from executorch.emitter.errors import EmissionError
from executorch.emitter.named_data import DataCollector, DataPayload, digest
from executorch.emitter.scalar_types import scalar_type
from executorch.emitter.tensor_data import tensor_bytes
from executorch.schema.flat_tensor import TensorLayout
from executorch.schema.program import Buffer
from executorch.schema.wire import BytesLike


class BufferTable:
    """Buffers by number; number 0 is taken, because tensors use it to say "no data"."""

    def __init__(self) -> None:
        self.buffers: list[Buffer] = [Buffer()]
        self._numbers: dict[bytes, int] = {}

    def add(self, data: BytesLike) -> int:
        """The number of the buffer with these bytes."""
        name = digest(data)
        number = self._numbers.get(name)
        if number is None:
            number = self._numbers[name] = len(self.buffers)
            self.buffers.append(Buffer(data))  # type: ignore[arg-type]
        return number


class ProgramData:
    """Everything that methods share: constants, initial states, and data outside the program.

    Args:
        names_unplanned_buffers: buffers that methods change may lack memory; they are then known by their names.
    """

    def __init__(self, names_unplanned_buffers: bool = False) -> None:
        self.names_unplanned_buffers = names_unplanned_buffers
        self.constants = BufferTable()
        self.states = BufferTable()
        self.external: dict[str, DataCollector] = {}
        # Methods export the same parameters; hashing gigabytes once per method would be a waste.
        self._seen: dict[tuple, tuple[torch.Tensor, memoryview, int]] = {}

    def _constant_bytes(self, spec: TensorSpec) -> memoryview:
        if spec.data is None:
            raise EmissionError(f"the constant {spec.fully_qualified_name or spec!r} has no data")
        return tensor_bytes(spec.data, spec.dim_order)

    def constant(self, spec: TensorSpec) -> int:
        """The number of a constant's buffer; a view has the buffer of what it views."""
        spec = spec.root
        data = spec.data
        key = None
        if data is not None:
            key = (
                id(data),
                data.data_ptr(),
                data.dtype,
                tuple(data.shape),
                data.stride(),
                tuple(spec.dim_order),
            )
            if key in self._seen:
                return self._seen[key][2]
        content = self._constant_bytes(spec)
        number = self.constants.add(content)
        if key is not None and data is not None:
            # Holding the tensor keeps its id from being given to another one.
            self._seen[key] = (data, content, number)
        return number

    def external_constant(self, spec: TensorSpec) -> str:
        """Puts a constant into the file that its `external_tag` names; returns its name there."""
        spec = spec.root
        assert spec.external_tag is not None
        name = spec.fully_qualified_name
        if not name:
            raise EmissionError(f"a constant for {spec.external_tag}.ptd has no name in the model: {spec!r}")
        layout = TensorLayout(scalar_type(spec.dtype), list(spec.shape), list(spec.dim_order))
        collector = self.external.setdefault(spec.external_tag, DataCollector())
        try:
            collector.add(name, self._constant_bytes(spec), spec.alignment, layout)
        except ValueError as error:
            raise EmissionError(f"external data {spec.external_tag!r}: {error}") from error
        return name

    def state(self, spec: TensorSpec) -> int:
        """The number of a mutable buffer's initial state, which the runtime copies into the buffer at load."""
        return self.states.add(self._constant_bytes(spec))

    def mutable_data(self) -> list[Buffer] | None:
        """The initial states with the placeholder in front, None without any."""
        return self.states.buffers if len(self.states.buffers) > 1 else None

    def external_payloads(self) -> dict[str, DataPayload]:
        """File name without suffix -> content, for the constants that live outside the program."""
        return {tag: collector.payload for tag, collector in self.external.items()}
