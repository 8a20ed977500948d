"""Marks on dimensions: text and back."""

import pytest

from executorch.emitter import dim_marks
from executorch.schema.program import EValue, Int, String, Tensor, TensorShapeDynamism

PREFIX = dim_marks.STATIC_DIMS


def tensor(rank):
    return EValue(Tensor(sizes=[1] * rank, dim_order=list(range(rank))))


VALUES = [tensor(2), EValue(Int(1)), tensor(0), tensor(7), EValue(String("text")), tensor(3)]


@pytest.mark.parametrize(
    "marks", [{0: {0}}, {0: {0, 1}, 3: {6}}, {3: set(range(7))}, {5: {2}}, {0: {1}, 3: {0, 5}, 5: {0, 1, 2}}]
)
def test_marks_are_read_back(marks):
    value = dim_marks.encode(PREFIX, VALUES, marks)
    text = value.val.string_val.removeprefix(PREFIX)
    assert text.isprintable() and not text.endswith("0")
    assert dim_marks.decode(PREFIX, [*VALUES, value]) == {
        number: frozenset(dims) for number, dims in marks.items()
    }
    assert dim_marks.decode("executorch.other:", [*VALUES, value]) == {}


def test_the_lowest_bit_is_the_first_dimension():
    assert dim_marks.encode(PREFIX, VALUES, {0: {1}, 3: {4}}) == EValue(String(PREFIX + "21"))


def test_nothing_marked_is_no_value():
    assert dim_marks.encode(PREFIX, VALUES, {}) is None
    assert dim_marks.encode(PREFIX, VALUES, {0: ()}) is None
    assert dim_marks.decode(PREFIX, VALUES) == {}


def test_tensors_without_a_bound_are_marked_in_two_ways():
    itself = tensor(2)
    itself.val.shape_dynamism = TensorShapeDynamism.DYNAMIC_UNBOUND
    values = [tensor(1), itself, tensor(3)]
    values.append(dim_marks.encode(dim_marks.UNBOUNDED_DIMS, values, {2: {1}}))
    assert dim_marks.unbounded_dims(values) == {1: {0, 1}, 2: {1}}
