"""Memory of a mapped file, and of tensors that are gone, is given back; values stay."""

import pathlib
import sys

import pytest
import torch

from executorch.extension.llm.cache.untouched import untouched_zeros
from executorch.extension.llm.models.memory import large_blocks_apart, let_go

_MIB = 1 << 20


def _resident(kind: str) -> int:
    """Bytes in memory: ``RssFile`` of mapped files, ``RssAnon`` of none."""
    (line,) = (
        one for one in pathlib.Path("/proc/self/status").read_text().splitlines() if one.startswith(kind)
    )
    return int(line.split()[1]) * 1024


@pytest.mark.skipif(sys.platform != "linux", reason="the advice is Linux's")
def test_pages_go_and_come_again(tmp_path):
    path = tmp_path / "weights"
    path.write_bytes(bytes(range(256)) * (64 * _MIB // 256))
    weight = torch.from_file(str(path), size=64 * _MIB, dtype=torch.uint8)
    weight[:5000] = 7
    expected, before = int(weight.sum()), _resident("RssFile")
    let_go(weight)
    assert _resident("RssFile") < before - 48 * _MIB
    assert int(weight.sum()) == expected and int(weight[4999]) == 7


def test_small_and_strided_tensors_stay():
    for weight in (torch.arange(3), torch.arange(1 << 14).reshape(128, 128).t(), torch.empty(0)):
        expected = weight.clone()
        let_go(weight)
        assert torch.equal(weight, expected)


@pytest.mark.skipif(sys.platform != "linux", reason="the measure is Linux's")
def test_holes_between_tensors_go():
    before = _resident("RssAnon")
    with large_blocks_apart():
        del (whole := [torch.ones(8 * _MIB)])[:]
        kept = [(torch.ones(_MIB), torch.ones(64))[1] for _ in range(64)]
        zeros = untouched_zeros((16, _MIB), torch.float32)
    assert len(kept) == 64 and not whole and not zeros[0, 0] and _resident("RssAnon") < before + 32 * _MIB
