"""The partitioner and delegate API: what backend vendors write against. See README.md."""

from executorch.partitioner.backend_api import MethodProgramsPartitionerSpec, to_backend, validation_disabled
from executorch.partitioner.backend_details import BackendDetails, PreprocessResult
from executorch.partitioner.backend_lookup import find_backend, register_backend, registered_backends
from executorch.partitioner.call_delegate import executorch_call_delegate
from executorch.partitioner.compile_spec import CompileSpec
from executorch.partitioner.constants import tag_constant_data, tag_mutated_buffer
from executorch.partitioner.delegation import DelegationSpec, Partitioner, PartitionResult
from executorch.partitioner.lowered_module import (
    LoweredBackendModule,
    get_lowered_backend_modules,
    get_lowered_submodules,
)
from executorch.partitioner.named_data_store import NamedDataStore, NamedDataStoreOutput

__all__ = [
    "BackendDetails",
    "CompileSpec",
    "DelegationSpec",
    "LoweredBackendModule",
    "MethodProgramsPartitionerSpec",
    "NamedDataStore",
    "NamedDataStoreOutput",
    "PartitionResult",
    "Partitioner",
    "PreprocessResult",
    "executorch_call_delegate",
    "find_backend",
    "get_lowered_backend_modules",
    "get_lowered_submodules",
    "register_backend",
    "registered_backends",
    "tag_constant_data",
    "tag_mutated_buffer",
    "to_backend",
    "validation_disabled",
]
