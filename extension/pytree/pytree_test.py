"""The documented pytree functions take containers apart and put them together."""

from executorch.extension import pytree


def test_flatten_and_unflatten_are_inverse():
    value = {"b": [1, (2, 3)], "a": None}
    leaves, spec = pytree.tree_flatten(value)
    assert leaves == [1, 2, 3, None] or leaves == [1, 2, 3]
    assert pytree.tree_unflatten(leaves, spec) == value
    assert pytree.tree_map(lambda leaf: leaf if leaf is None else leaf * 2, value) == {
        "b": [2, (4, 6)],
        "a": None,
    }


def test_a_spec_survives_as_text():
    leaves, spec = pytree.tree_flatten([1, {"x": (2, 3)}])
    again = pytree.from_str(pytree.treespec_dumps(spec))
    assert again == spec
    assert pytree.tree_unflatten(leaves, again) == [1, {"x": (2, 3)}]


def test_one_value_spreads_over_a_subtree():
    _, spec = pytree.tree_flatten([0, (0, 0)])
    assert pytree.broadcast_to_and_flatten([1, 2], spec) == [1, 2, 2]
    assert pytree.broadcast_to_and_flatten([1], spec) is None
