"""Documented path of the functions that propose partitions."""

from executorch.partitioner import (
    generate_grouped_partitions_from_list_of_nodes,
    generate_partitions_from_list_of_nodes,
    generate_pattern_op_partitions,
)

__all__ = [
    "generate_grouped_partitions_from_list_of_nodes",
    "generate_partitions_from_list_of_nodes",
    "generate_pattern_op_partitions",
]
