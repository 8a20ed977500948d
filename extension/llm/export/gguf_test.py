"""Blocks of GGUF files, against the package gguf's own reading of them."""

from __future__ import annotations

import pathlib
from typing import Any

import gguf
import numpy
import pytest
import torch

from executorch.extension.llm.export.gguf import ExportableGGUFTensor, iter_gguf
from executorch.extension.llm.export.gguf_blocks import BLOCK_BYTES, GROUP_SIZES
from executorch.extension.llm.export.load import iter_checkpoint
from executorch.extension.llm.models.gguf_for_tests import gguf_file

_KINDS = list(BLOCK_BYTES)
#: Where a block has float16 numbers, which random bytes would make infinite.
_HALVES = {"q4_k": (0, 2), "q5_k": (0, 2), "q6_k": (208,)}


def _blocks(kind: str, rows: int, blocks: int, seed: int = 0) -> torch.Tensor:
    """Random bits and random scales of groups; the scales of scales are small, and one of them is 0."""
    draw = numpy.random.default_rng(seed)
    raw = draw.integers(0, 256, (rows * blocks, BLOCK_BYTES[kind]), dtype=numpy.uint8)
    for number, start in enumerate(_HALVES[kind]):
        scales = draw.uniform(1e-4, 1e-2, rows * blocks).astype(numpy.float16)
        if number == 0:
            scales[0] = 0
        raw[:, start : start + 2] = scales[:, None].view(numpy.uint8)
    return torch.from_numpy(raw.reshape(rows, -1))


def _values(kind: str, raw: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(
        gguf.quants.dequantize(raw.numpy(), getattr(gguf.GGMLQuantizationType, kind.upper()))
    )


@pytest.mark.parametrize("kind", _KINDS)
def test_values_are_those_of_the_package(kind: str) -> None:
    raw = _blocks(kind, 5, 3)
    weight = ExportableGGUFTensor.from_raw(raw, kind)
    want = _values(kind, raw)
    assert weight.shape == (5, 768) and weight.dtype == torch.bfloat16
    assert torch.equal(weight.dequantize(torch.float32), want)
    assert torch.equal(weight.to(torch.float16).dequantize(), want.to(torch.float16))
    unpacked = weight.to_intx_unpacked_to_int8_tensor(scale_dtype=torch.float32)
    assert unpacked.block_size == (1, GROUP_SIZES[kind])
    torch.testing.assert_close(unpacked.dequantize(), want, rtol=2e-5, atol=1e-6)
    if kind == "q4_k":
        four = weight.to_exportable_int4_tensor(torch.float32)
        torch.testing.assert_close(four.dequantize(), want, rtol=2e-5, atol=1e-6)
    else:
        with pytest.raises(NotImplementedError, match="to_intx"):
            weight.to_exportable_int4_tensor()


@pytest.mark.parametrize("kind", _KINDS)
def test_an_exported_layer_has_the_blocks_and_the_operator(kind: str) -> None:
    class Layers(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            weight = ExportableGGUFTensor.from_raw(_blocks(kind, 16, 1), kind, torch.float32)
            self.table = torch.nn.Parameter(weight, requires_grad=False)
            self.head = torch.nn.Parameter(weight, requires_grad=False)

        def forward(self, tokens: torch.Tensor) -> torch.Tensor:
            return torch.nn.functional.linear(torch.nn.functional.embedding(tokens, self.table), self.head)

    model, tokens = Layers(), torch.tensor([[3, 0, 15]])
    exported = torch.export.export(model, (tokens,)).run_decompositions({})
    called = [str(node.target) for node in exported.graph.nodes if node.op == "call_function"]
    assert called.count("torchao.dequantize_gguf.default") == 2
    assert {value.dtype for value in exported.state_dict.values()} == {torch.uint8}
    values = _values(kind, _blocks(kind, 16, 1))
    torch.testing.assert_close(exported.module()(tokens), values[tokens] @ values.T, rtol=1e-4, atol=1e-4)


def test_groups_of_the_same_scale_become_one() -> None:
    raw = _blocks("q6_k", 4, 2, seed=1)
    raw.view(8, -1)[:, 192:208] = torch.tensor([3] * 8 + [5] * 8, dtype=torch.uint8)
    weight = ExportableGGUFTensor.from_raw(raw, "q6_k")
    for most, want in ((None, 16), (64, 64), (4096, 128)):
        unpacked = weight.to_intx_unpacked_to_int8_tensor(most, torch.float32)
        assert unpacked.block_size == (1, want)
        torch.testing.assert_close(unpacked.dequantize(), _values("q6_k", raw), rtol=2e-5, atol=1e-6)


def _file(path: pathlib.Path, tensors: dict[str, tuple[numpy.ndarray, Any]]) -> str:
    with gguf_file(path, "llama") as writer:
        for name, (data, kind) in tensors.items():
            writer.add_tensor(name, data, raw_dtype=kind)
    return str(path)


def test_files_are_read_without_unpacking(tmp_path: pathlib.Path) -> None:
    kinds = gguf.GGMLQuantizationType
    blocks = {kind: _blocks(kind, 6, 2, seed=2) for kind in _KINDS}
    tensors = {kind: (raw.numpy(), getattr(kinds, kind.upper())) for kind, raw in blocks.items()}
    floats = torch.randn(3, 8)
    tensors["f32"] = (floats.numpy(), None)
    tensors["f16"] = (floats.half().numpy(), None)
    tensors["bf16"] = (floats.bfloat16().view(torch.uint8).numpy(), kinds.BF16)
    path = _file(tmp_path / "model.gguf", tensors)
    read = dict(iter_gguf(path))
    for kind, raw in blocks.items():
        found = read[kind]
        assert isinstance(found, ExportableGGUFTensor) and found.ggml_type == kind
        assert torch.equal(found.raw, raw)
    assert torch.equal(read["f32"], floats) and torch.equal(read["f16"], floats.half())
    assert torch.equal(read["bf16"], floats.bfloat16())
    names = {"f32": "norm.weight", "q4_k": "proj.weight"}
    named = dict(iter_checkpoint(path, key_map=names.get, dtype=torch.float16))
    assert set(named) == set(names.values()) and {one.dtype for one in named.values()} == {torch.float16}


def test_what_is_not_read_is_refused(tmp_path: pathlib.Path) -> None:
    with pytest.raises(NotImplementedError, match="no blocks of q2_k"):
        ExportableGGUFTensor.from_raw(torch.zeros(1, 84, dtype=torch.uint8), "q2_k")
    with pytest.raises(ValueError, match="rows of 144 bytes"):
        ExportableGGUFTensor.from_raw(torch.zeros(1, 145, dtype=torch.uint8), "q4_k")
    path = _file(
        tmp_path / "q8.gguf", {"w": (numpy.zeros((2, 34), numpy.uint8), gguf.GGMLQuantizationType.Q8_0)}
    )
    with pytest.raises(NotImplementedError, match="w is of Q8_0"):
        list(iter_gguf(path))
