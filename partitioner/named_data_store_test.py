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
