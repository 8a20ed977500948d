"""The suite's catalogue, its record, and the page that is written from the record."""

import importlib
import json
import sys

import pytest
import torch
from torch import nn

from executorch.tests.zoo.architectures import page, registry
from executorch.tests.zoo.architectures.torchvision_standin import ensure_torchvision

NAMES = ["/".join(row) for row in registry.names()]


def _results():
    return json.loads(page.source(page.RESULTS).read_text())


def test_at_least_150_architectures_by_name():
    assert len(set(NAMES)) == len(NAMES) >= 150
    assert len({name.partition("/")[2] for name in NAMES}) == len(NAMES)


def test_the_record_is_of_architectures_of_the_suite():
    results = _results()
    assert set(results) <= set(NAMES)
    assert page.results_text(results) == page.source(page.RESULTS).read_text()


def test_the_page_is_what_registry_and_record_say():
    assert page.source(page.PAGE).read_text() == page.text(_results(), NAMES)


def test_what_is_not_right_has_a_reason():
    for name, ways in _results().items():
        for way, found in ways.items():
            assert found["verdict"] == "right" or found["reason"], (name, way)


def test_failures_and_refusals_stand_on_the_page():
    results = {
        "timm/a": {"portable": {"verdict": "right", "error": 1e-6, "planned": 4096, "lowering": 0.5}},
        "timm/b": {"portable": {"verdict": "failed", "reason": "ValueError: no | kernel"}},
        "timm/c": {"portable": {"verdict": "not exported", "reason": "UserError: no"}},
    }
    text = page.text(results, [*results, "timm/d"])
    assert "| a | 1e-06 |  |  |  |  | 4,096 | 0.5 |" in text
    assert "| failed | ValueError: no \\| kernel | b (without a partitioner) |" in text
    assert "| not exported | UserError: no | c (without a partitioner) |" in text
    assert "| without a partitioner | 1 | 1 | 1 |" in text
    assert "* without a partitioner: d\n" in text


def test_a_record_is_completed_way_by_way():
    results = {"timm/a": {"portable": {}, "int8": {}}, "timm/b": {"portable": {}}}
    rows = [("timm", name) for name in "abc"]
    assert page.missing(results, rows, ("portable", "int8")) == {
        ("timm", "b"): ("int8",),
        ("timm", "c"): ("portable", "int8"),
    }


def test_no_parameter_stays_as_it_was_filled():
    module = nn.Sequential(nn.LayerNorm(8), nn.Linear(8, 8))
    module.register_parameter("head", nn.Parameter(torch.randn(8, 8) * 1e-5))
    module.register_parameter("gamma", nn.Parameter(torch.full((8,), 1e-6)))
    registry.enliven(module)
    assert all(parameter.unique().numel() > 1 for parameter in module.parameters())
    assert module.gamma.abs().mean() > 0.05 and module.head.abs().mean() > 0.02


def test_a_standin_for_torchvision_is_only_names(monkeypatch):
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    monkeypatch.setitem(sys.modules, "torchvision", None)  # what cannot be imported
    for name in ("torchvision.ops", "torchvision.ops.misc", "torchvision.transforms"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    assert not ensure_torchvision()
    assert not ensure_torchvision()
    misc = importlib.import_module("torchvision.ops.misc")
    transforms = importlib.import_module("torchvision.transforms")
    assert transforms.InterpolationMode.BICUBIC.value == "bicubic"
    assert not isinstance(3, misc.FrozenBatchNorm2d)
    with pytest.raises(ImportError, match="FrozenBatchNorm2d of torchvision is only a name"):
        misc.FrozenBatchNorm2d(4)
    for name in [name for name in sys.modules if name.partition(".")[0] == "torchvision"]:
        del sys.modules[name]
