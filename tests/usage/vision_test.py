"""Image models, exported and run as the documents show it."""

import pathlib

import torch
import torch.nn.functional as F
from torch import nn
from torch.export import Dim, export

from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import EdgeCompileConfig, ExecutorchBackendConfig, to_edge, to_edge_transform_and_lower
from executorch.exir.backend.backend_api import to_backend  # noqa: F401  # scripts import it and use the manager
from executorch.extension.export_util.utils import save_pte_program
from executorch.runtime import Runtime, Verification


class InvertedResidual(nn.Sequential):
    def __init__(self, channels: int, expansion: int):
        hidden = channels * expansion
        super().__init__(
            nn.Conv2d(channels, hidden, 1, bias=False),
            nn.BatchNorm2d(hidden),
            nn.ReLU6(inplace=True),
            nn.Conv2d(hidden, hidden, 3, padding=1, groups=hidden, bias=False),
            nn.BatchNorm2d(hidden),
            nn.Hardswish(),
            nn.Conv2d(hidden, channels, 1, bias=False),
            nn.BatchNorm2d(channels),
        )

    def forward(self, x):
        return x + super().forward(x)


class Classifier(nn.Module):
    """A MobileNet of two blocks."""

    def __init__(self, classes: int = 10):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1, bias=False), nn.BatchNorm2d(8), nn.ReLU6())
        self.blocks = nn.Sequential(InvertedResidual(8, 2), nn.MaxPool2d(2), InvertedResidual(8, 2))
        self.dropout = nn.Dropout(0.2)
        self.head = nn.Linear(8, classes)

    def forward(self, x):
        x = F.adaptive_avg_pool2d(self.blocks(self.stem(x)), (1, 1))
        return self.head(self.dropout(torch.flatten(x, 1)))


class Segmenter(nn.Module):
    """Encoder, atrous pyramid, and bilinear upsampling to the size of the image."""

    def __init__(self, classes: int = 4):
        super().__init__()
        self.encoder = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.ReLU(), nn.Conv2d(8, 8, 3, 2, 1), nn.ReLU())
        self.branches = nn.ModuleList(nn.Conv2d(8, 4, 3, padding=rate, dilation=rate) for rate in (1, 2))
        self.pooled = nn.Conv2d(8, 4, 1)
        self.classifier = nn.Conv2d(12, classes, 1)

    def forward(self, image):
        features = self.encoder(image)
        pooled = self.pooled(features.mean((2, 3), keepdim=True)).expand(-1, -1, *features.shape[-2:])
        merged = torch.cat([*(branch(features) for branch in self.branches), pooled], dim=1)
        logits = F.interpolate(
            self.classifier(merged), size=image.shape[-2:], mode="bilinear", align_corners=False
        )
        return {"out": logits, "mask": logits.argmax(1)}


class Detector(nn.Module):
    """One-stage detector: decoded boxes, the best of them, and overlaps suppressed by a matrix."""

    def __init__(self, size: int = 32, stride: int = 8, classes: int = 3):
        super().__init__()
        self.classes = classes
        self.backbone = nn.Sequential(
            nn.Conv2d(3, 8, 3, 4, 1), nn.SiLU(), nn.Conv2d(8, 8, 3, 2, 1), nn.SiLU()
        )
        self.head = nn.Conv2d(8, 4 + classes, 1)
        cells = torch.arange(size // stride) + 0.5
        y, x = torch.meshgrid(cells, cells, indexing="ij")
        self.register_buffer("centres", torch.stack([x, y], -1).reshape(-1, 2) * stride)

    def forward(self, image):
        raw = self.head(self.backbone(image)).flatten(2).permute(0, 2, 1)[0]
        distances, scores = raw[:, :4].exp() * 4, raw[:, 4:].sigmoid()
        boxes = torch.cat([self.centres - distances[:, :2], self.centres + distances[:, 2:]], -1)
        best, labels = scores.max(-1)
        values, order = torch.topk(best, 6)
        boxes, labels = boxes[order], torch.gather(labels, 0, order)
        corner = torch.maximum(boxes[:, None, :2], boxes[None, :, :2])
        opposite = torch.minimum(boxes[:, None, 2:], boxes[None, :, 2:])
        shared = (opposite - corner).clamp(min=0).prod(-1)
        area = (boxes[:, 2:] - boxes[:, :2]).prod(-1)
        overlap = (shared / (area[:, None] + area[None] - shared)).triu(diagonal=1)
        keep = overlap.max(0).values < 0.5
        return boxes, values * keep, labels, keep


class RegionPooling(nn.Module):
    """Features of regions by sampling, as RoI align does it."""

    def forward(self, features, boxes):
        count, size = boxes.shape[0], 3
        steps = (torch.arange(size) + 0.5) / size
        corner, extent = boxes[:, :2], boxes[:, 2:] - boxes[:, :2]
        x = corner[:, :1] + steps * extent[:, :1]
        y = corner[:, 1:] + steps * extent[:, 1:]
        grid = torch.stack([x[:, None, :].expand(-1, size, -1), y[:, :, None].expand(-1, -1, size)], -1)
        return F.grid_sample(features.expand(count, -1, -1, -1), grid * 2 - 1, align_corners=False)


def calls(manager) -> list[str]:
    graph = manager.exported_program().graph
    return [str(node.target) for node in graph.nodes if node.op == "call_function"]


def test_a_classifier_on_xnnpack_through_a_file(tmp_path):
    torch.manual_seed(0)
    model, inputs = Classifier().eval(), (torch.randn(1, 3, 32, 32),)
    lowered = to_edge_transform_and_lower(export(model, inputs), partitioner=[XnnpackPartitioner()])
    assert sum("executorch_call_delegate" in name for name in calls(lowered)) == 1
    et_program = lowered.to_executorch()
    path = tmp_path / "classifier.pte"
    with open(path, "wb") as file:
        et_program.write_to_file(file)
    assert path.read_bytes() == et_program.buffer

    runtime = Runtime.get()
    program = runtime.load_program(pathlib.Path(path), verification=Verification.Minimal)
    assert program.method_names == {"forward"}
    method = program.load_method("forward")
    (scores,) = method.execute(inputs)
    torch.testing.assert_close(scores, model(*inputs), rtol=1e-3, atol=1e-4)


def test_the_older_way_in_steps(tmp_path):
    """``to_edge``, then ``to_backend``, with the configs that scripts copy from each other."""
    torch.manual_seed(0)
    model, inputs = Classifier().eval(), (torch.randn(2, 3, 32, 32),)
    config = EdgeCompileConfig(_check_ir_validity=False, _skip_dim_order=True)
    edge = to_edge(export(model, inputs, strict=True), compile_config=config)
    edge = edge.to_backend(XnnpackPartitioner())
    program = edge.to_executorch(config=ExecutorchBackendConfig(extract_delegate_segments=False))
    save_pte_program(program, "classifier_fp32", str(tmp_path))
    loaded = Runtime.get().load_program(str(tmp_path / "classifier_fp32.pte"))
    (scores,) = loaded.load_method("forward").execute(list(inputs))
    torch.testing.assert_close(scores, model(*inputs), rtol=1e-3, atol=1e-4)


def test_a_classifier_in_half_precision():
    torch.manual_seed(0)
    model, image = Classifier().eval().half(), torch.randn(1, 3, 32, 32).half()
    program = to_edge_transform_and_lower(export(model, (image,)), partitioner=[XnnpackPartitioner()])
    method = Runtime.get().load_program(program.to_executorch().buffer).load_method("forward")
    torch.testing.assert_close(method.execute([image])[0], model(image), rtol=2e-2, atol=2e-2)


def test_segmentation_returns_a_dictionary_and_takes_any_height():
    torch.manual_seed(0)
    model, image = Segmenter().eval(), torch.randn(1, 3, 32, 48)
    shapes = {"image": {2: Dim("rows", min=2, max=8) * 8}}
    exported = export(model, (image,), dynamic_shapes=shapes)
    for partitioner in ([], [XnnpackPartitioner()]):
        program = to_edge_transform_and_lower(exported, partitioner=partitioner).to_executorch()
        method = Runtime.get().load_program(program.buffer).load_method("forward")
        for height in (16, 64):
            image = torch.randn(1, 3, height, 48)
            expected = model(image)
            logits, mask = method.execute([image])
            torch.testing.assert_close(logits, expected["out"], rtol=1e-3, atol=1e-4)
            assert (mask == expected["mask"]).float().mean() > 0.99


def test_a_detector_with_its_decoding():
    torch.manual_seed(0)
    model, inputs = Detector().eval(), (torch.randn(1, 3, 32, 32),)
    program = to_edge_transform_and_lower(export(model, inputs), partitioner=[XnnpackPartitioner()])
    method = Runtime.get().load_program(program.to_executorch().buffer).load_method("forward")
    for value, expected in zip(method.execute(inputs), model(*inputs), strict=True):
        torch.testing.assert_close(value, expected, rtol=1e-3, atol=1e-4)


def test_features_of_regions():
    torch.manual_seed(0)
    model, inputs = RegionPooling(), (torch.randn(1, 4, 8, 8), torch.rand(5, 4).sort(-1).values)
    program = to_edge(export(model, inputs)).to_executorch()
    method = Runtime.get().load_program(program.buffer).load_method("forward")
    torch.testing.assert_close(method.execute(inputs)[0], model(*inputs), rtol=1e-4, atol=1e-5)
