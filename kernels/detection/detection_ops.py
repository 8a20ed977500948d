"""Operators of detection models as PyTorch sees them; import before exporting a model that uses them.

Defines the out variant of `torchvision::nms`, which programs call, and where torchvision is not there the operator
itself: `torch.ops.torchvision.nms(boxes, scores, iou_threshold)`.

The number of boxes that are kept depends on the data. Exported graphs say that it is at most the number of boxes, which memory planning
needs; torchvision's own description of the operator names no bound, and is replaced.
"""

from __future__ import annotations

import importlib.util

import torch

if importlib.util.find_spec("torchvision") is not None:
    import torchvision  # type: ignore[import-not-found,import-untyped,unused-ignore]  # noqa: F401  defines nms

_SCHEMA = "(Tensor dets, Tensor scores, float iou_threshold"
_library = torch.library.Library("torchvision", "FRAGMENT")


def _keep(dets: torch.Tensor, scores: torch.Tensor, iou_threshold: float) -> torch.Tensor:
    """The indices of the boxes that no better one overlaps by more than the threshold, best first.

    Args:
        dets: Boxes [n, 4] as x1, y1, x2, y2.
        scores: [n].
        iou_threshold: Of intersection over union.
    """
    order = torch.argsort(scores, descending=True, stable=True)
    areas = (dets[:, 2] - dets[:, 0]) * (dets[:, 3] - dets[:, 1])
    kept = []
    while order.numel() > 0:
        best, order = order[0], order[1:]
        kept.append(best)
        low = torch.maximum(dets[best, :2], dets[order, :2])
        high = torch.minimum(dets[best, 2:], dets[order, 2:])
        shared = (high - low).clamp(min=0).prod(1)
        overlap = shared / (areas[best] + areas[order] - shared)
        order = order[~(overlap > iou_threshold)]
    return torch.stack(kept) if kept else torch.empty(0, dtype=torch.int64)


def _keep_fake(dets: torch.Tensor, scores: torch.Tensor, iou_threshold: float) -> torch.Tensor:
    """At most all of them."""
    torch._check(dets.dim() == 2 and dets.size(1) == 4, lambda: f"boxes are [n, 4], not {list(dets.shape)}")
    torch._check(
        scores.dim() == 1 and scores.size(0) == dets.size(0),
        lambda: f"scores are [n], one for each box, not {list(scores.shape)}",
    )
    most = dets.size(0)
    bound = most if isinstance(most, int) else None
    count = torch.library.get_ctx().new_dynamic_size(min=0, max=bound)
    if bound is None:
        torch._check(count <= most)
    return dets.new_empty(count, dtype=torch.int64)


def _keep_out(
    dets: torch.Tensor, scores: torch.Tensor, iou_threshold: float, *, out: torch.Tensor
) -> torch.Tensor:
    kept = torch.ops.torchvision.nms(dets, scores, iou_threshold)
    return out.resize_(kept.shape).copy_(kept)


if not hasattr(torch.ops.torchvision, "nms"):
    _library.define(f"nms{_SCHEMA}) -> Tensor")
    _library.impl("nms", _keep, "CPU")
torch.library.register_fake("torchvision::nms", _keep_fake, lib=_library)
if "out" not in torch.ops.torchvision.nms.overloads():
    _library.define(f"nms.out{_SCHEMA}, *, Tensor(a!) out) -> Tensor(a!)")
    _library.impl("nms.out", _keep_out, "CompositeExplicitAutograd")
