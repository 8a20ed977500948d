"""The named data store keeps equal bytes once and refuses two meanings for one key."""

import pytest
import torch

from executorch.partitioner import NamedDataStore


def test_equal_bytes_are_stored_once():
    store = NamedDataStore()
    store.add_named_data("a", b"weights", alignment=4)
    store.add_named_data("b", b"weights", alignment=16)
    store.add_named_data("c", b"other", external_tag="file")
    store.add_named_data("a", b"weights", alignment=6)
    output = store.get_named_data_store_output()
    assert output.buffers == [b"weights", b"other"]
    assert {k: (e.buffer_index, e.alignment) for k, e in output.pte_data.items()} == {
        "a": (0, 12),
        "b": (0, 16),
    }
    assert output.external_data["file"]["c"].buffer_index == 1


def test_what_nobody_changes_is_not_copied():
    memory = bytearray(b"weights")
    store, merged = NamedDataStore(), NamedDataStore()
    store.add_named_data("kept", memoryview(memory).toreadonly())
    store.add_named_data("copied", memoryview(memory[::-1]))
    store.add_named_data("same", b"weights")
    merged.merge_named_data_store(store.get_named_data_store_output())
    for buffers in (store.buffers, merged.buffers):
        assert buffers == [b"weights", b"sthgiew"] and isinstance(buffers[1], bytes)
        assert buffers[0].obj is memory


def test_merge():
    one, two = NamedDataStore(), NamedDataStore()
    one.add_named_data("a", b"x")
    two.add_named_data("b", b"y", external_tag="t")
    two.add_named_data("a", b"x", 8)
    one.merge_named_data_store(two.get_named_data_store_output())
    output = one.get_named_data_store_output()
    assert output.buffers == [b"x", b"y"]
    assert output.pte_data["a"].alignment == 8
    assert output.external_data["t"]["b"].buffer_index == 1


def test_what_is_refused():
    store = NamedDataStore()
    store.add_named_data("a", b"x")
    with pytest.raises(ValueError, match="already names other data"):
        store.add_named_data("a", b"y")
    with pytest.raises(ValueError, match="already stored in"):
        store.add_named_data("a", b"x", external_tag="t")
    with pytest.raises(ValueError, match="at least 1"):
        store.add_named_data("z", b"x", alignment=0)


def test_tensors_give_their_bytes_in_memory_order():
    plain = torch.arange(24, dtype=torch.int16).reshape(1, 2, 3, 4)
    channels_last = plain.to(memory_format=torch.channels_last)
    store = NamedDataStore()
    store.add_named_data("plain", plain)
    store.add_named_data("last", channels_last)
    store.add_named_data("none", torch.empty(0))
    store.add_named_data("half", torch.ones(2, dtype=torch.bfloat16))
    buffers = store.get_named_data_store_output().buffers
    assert buffers[0] == plain.numpy().tobytes()
    assert buffers[1] == plain.permute(0, 2, 3, 1).contiguous().numpy().tobytes()
    assert buffers[2:] == [b"", b"\x80\x3f\x80\x3f"]


def test_tensors_bring_their_layout():
    store = NamedDataStore()
    store.add_named_data("last", torch.zeros(1, 2, 3, 4).to(memory_format=torch.channels_last))
    layout = store.pte_data["last"].tensor_layout
    assert (list(layout.sizes), list(layout.dim_order)) == ([1, 2, 3, 4], [0, 2, 3, 1])
    with pytest.raises(ValueError, match="layout of 'other'"):
        store.add_named_data("other", torch.zeros(2), tensor_layout=layout)
    with pytest.raises(ValueError, match="sparse"):
        store.add_named_data("sparse", torch.eye(2).to_sparse())
    with pytest.raises(ValueError, match="not contiguous"):
        store.add_named_data("transposed", torch.rand(3, 2).t())
    assert len(store.buffers) == 1


def filled(sizes):
    store = NamedDataStore()
    for key, size in sizes.items():
        store.add_named_data(key, key.encode() * size, alignment=4)
    return store


def test_data_moves_into_files_of_limited_size():
    store = filled({"d": 40, "a": 30, "c": 60, "b": 30})
    store.add_named_data("z", b"a" * 30)
    store.add_named_data("own", b"own", external_tag="own")
    store.externalize_pte_data(100, "w")
    files = {tuple(sorted(entries)): tag for tag, entries in store.external_data.items()}
    assert set(files) == {("own",), ("a", "b", "z"), ("c", "d")}
    assert store.pte_data == {} and store.external_data[files["a", "b", "z"]]["a"].alignment == 4
    store.externalize_pte_data(100, "w")  # nothing is left to move
    assert set(store.external_data) == set(files.values())
    other = filled({"b": 30, "z": 5, "c": 60, "d": 40, "a": 30})
    other.externalize_pte_data(100, "w")
    assert {files["c", "d"]} <= set(other.external_data) != set(files.values())


@pytest.mark.parametrize(
    ("limit", "prefix"), [(9, "w"), (0, "w"), (True, "w"), (1.5, "w"), (100, ""), (100, None)]
)
def test_a_refused_move_changes_nothing(limit, prefix):
    store = filled({"k": 10})
    store.add_named_data("x", b"x", external_tag="own")
    with pytest.raises(ValueError):
        store.externalize_pte_data(limit, prefix)
    assert list(store.pte_data) == ["k"] and list(store.external_data) == ["own"]
