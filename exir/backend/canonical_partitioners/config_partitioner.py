"""Documented path of :mod:`executorch.partitioner.selection.config_partitioner`."""

from executorch.partitioner import (
    ConfigerationBasedPartitioner,
    PartitionerConfig,
    format_target_name,
    is_constant_data,
)

__all__ = [
    "ConfigerationBasedPartitioner",
    "PartitionerConfig",
    "format_target_name",
    "is_constant_data",
]
