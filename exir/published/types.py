"""What a value of a graph is described by: a spec for tensors, the type or the value itself for the rest."""

from typing import TypeAlias, Union

from executorch.dialects.tensor_spec import TensorSpec

ScalarSpec: TypeAlias = Union[type[int], type[float], type[bool], type[str], None]  # noqa: UP007
LeafValueSpec: TypeAlias = Union[TensorSpec, ScalarSpec]  # noqa: UP007
ValueSpec: TypeAlias = Union[LeafValueSpec, list[TensorSpec], tuple[TensorSpec, ...]]  # noqa: UP007
