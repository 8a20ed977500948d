"""Suppression of overlapping boxes against the definition, and in an exported graph."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from executorch.kernels.detection import detection_ops  # noqa: F401  defines the operators
from executorch.kernels.test.op_driver import OpDriver, Out
from executorch.kernels.test.oracle import bind, call_out

NMS = torch.ops.torchvision.nms


@pytest.fixture(scope="module")
def driver():
    driver = OpDriver()
    yield driver
    driver.close()


def boxes(n, dtype=torch.float64, seed=0):
    """Boxes of whole numbers, so that eager and the kernel calculate the same overlaps."""
    generator = torch.Generator().manual_seed(seed)
    low = torch.randint(0, 20, (n, 2), generator=generator)
    size = torch.randint(1, 12, (n, 2), generator=generator)
    scores = torch.randint(0, 50, (n,), generator=generator)
    return torch.cat([low, low + size], 1).to(dtype), scores.to(dtype)


def run(driver, dets, scores, threshold, **options):
    out = Out(like=torch.empty(len(dets), dtype=torch.int64), dynamic=True)
    return call_out(driver, NMS.out, bind(NMS.default, [dets, scores, threshold], {}), [out], **options)


def expected(dets, scores, threshold):
    """By definition: a box stays unless one that stays is better and overlaps it."""
    # Numbers of Python: a tensor for each of millions of comparisons would take minutes.
    dets, scores = dets.tolist(), scores.tolist()
    order = sorted(range(len(dets)), key=lambda i: (-scores[i], i))
    kept: list[int] = []
    for i in order:
        for k in kept:
            w = min(dets[i][2], dets[k][2]) - max(dets[i][0], dets[k][0])
            h = min(dets[i][3], dets[k][3]) - max(dets[i][1], dets[k][1])
            shared = max(w, 0) * max(h, 0)
            areas = [(dets[j][2] - dets[j][0]) * (dets[j][3] - dets[j][1]) for j in (i, k)]
            if shared / (sum(areas) - shared) > threshold:
                break
        else:
            kept.append(i)
    return kept


@settings(max_examples=40, deadline=None)
@given(n=st.integers(0, 60), seed=st.integers(0, 1000), threshold=st.sampled_from([0.0, 0.3, 0.5, 0.9]))
def test_random_boxes(driver, n, seed, threshold):
    dets, scores = boxes(n, seed=seed)
    outcome = run(driver, dets, scores, threshold)
    assert outcome.error == 0
    assert outcome.outputs[0].tolist() == expected(dets, scores, threshold)
    assert NMS(dets, scores, threshold).tolist() == expected(dets, scores, threshold)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16], ids=str)
def test_dtypes(driver, dtype):
    dets, scores = boxes(30, dtype)
    assert run(driver, dets, scores, 0.4).outputs[0].tolist() == expected(dets.double(), scores, 0.4)


def test_many_boxes_need_temporary_memory(driver):
    dets, scores = boxes(2000)
    assert run(driver, dets, scores, 0.5).error != 0
    outcome = run(driver, dets, scores, 0.5, temp_bytes=1 << 16)
    assert outcome.error == 0
    assert outcome.outputs[0].tolist() == expected(dets, scores, 0.5)


def test_wrong_shapes_fail(driver):
    dets, scores = boxes(4)
    assert run(driver, dets[:, :3].contiguous(), scores, 0.5).error == 0x12
    assert run(driver, dets, scores[:2], 0.5).error == 0x12
    assert run(driver, dets, scores.float(), 0.5).error == 0x12


def test_exports_with_a_bounded_result():
    class Detector(torch.nn.Module):
        def forward(self, dets, scores):
            kept = torch.ops.torchvision.nms(dets, scores, 0.5)
            return dets[kept]

    program = torch.export.export(Detector(), boxes(10))
    assert NMS.default in {node.target for node in program.graph.nodes}
    assert [int(r.upper) for r in program.range_constraints.values()] == [10]
    dets, scores = boxes(10, seed=3)
    assert torch.equal(program.module()(dets, scores), dets[expected(dets, scores, 0.5)])


def test_wrong_shapes_are_refused_in_a_graph():
    class Detector(torch.nn.Module):
        def forward(self, dets, scores):
            return torch.ops.torchvision.nms(dets, scores, 0.5)

    dets, scores = boxes(10)
    with pytest.raises(RuntimeError, match=r"boxes are \[n, 4\], not \[10, 3\]"):
        torch.export.export(Detector(), (dets[:, :3], scores))
