"""What the plan says about devices, in the form of the program's schema."""

from executorch.memory_planning.questions import memory_devices
from executorch.schema.program import DeviceType, NonConstBufferDevice


def _build_non_const_buffer_device(
    buffer_devices: "list[tuple[DeviceType, int]]",
) -> "list[NonConstBufferDevice] | None":
    """As :func:`executorch.memory_planning.questions.memory_devices`, in the form of the program's schema."""
    found = memory_devices(buffer_devices)
    return found and [
        NonConstBufferDevice(memory.mem_id, DeviceType(memory.device), memory.device_index)
        for memory in found
    ]
