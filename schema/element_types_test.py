"""Every number has its names. That they are PyTorch's, and the sizes too, is in ``emitter/scalar_types_test.py``."""

from executorch.schema.element_types import CPP_NAMES, ELEMENT_TYPES
from executorch.schema.scalar_type import ScalarType


def test_every_type_of_the_schema_is_in_the_table():
    assert list(ELEMENT_TYPES) == list(ScalarType)


def test_numbers_have_no_gaps_in_cpp():
    assert list(CPP_NAMES) == list(range(30))
    assert (CPP_NAMES[0], CPP_NAMES[6], CPP_NAMES[21], CPP_NAMES[29]) == ("Byte", "Float", "Bits8", "UInt64")
