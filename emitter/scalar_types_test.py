"""Element types of files are those of PyTorch."""

import pytest

from executorch.emitter.scalar_types import DTYPES, scalar_type
from executorch.schema.element_types import ELEMENT_TYPES
from executorch.schema.scalar_type import ScalarType


@pytest.mark.parametrize("kind", ScalarType, ids=lambda kind: kind.name)
def test_a_type_has_the_name_and_the_size_that_pytorch_gives_it(kind):
    dtype = DTYPES[kind]
    assert str(dtype) == f"torch.{ELEMENT_TYPES[kind].name}"
    assert dtype.itemsize == ELEMENT_TYPES[kind].itemsize
    assert scalar_type(dtype) is kind
