"""The planning benchmark measures what it says, with and without the published package."""

import pytest
import torch

from executorch.tests import published
from executorch.tests.benchmarks import planning


def test_a_model_is_planned_by_each_algorithm():
    model = torch.nn.Sequential(*[torch.nn.Linear(16, 16) for _ in range(3)])
    found = planning.plan(torch.export.export(model, (torch.ones(1, 16),)))
    assert set(found.by_algorithm) == {"naive", "greedy", "best_of_packings"}
    assert found.lower_bound <= found.ours <= found.by_algorithm["greedy"] < found.by_algorithm["naive"]
    assert found.values >= 4 and found.plan_s > 0


def test_without_the_published_package_the_reason_is_kept(monkeypatch):
    monkeypatch.setattr(published, "search_path", lambda: None)
    found = planning.figures(["mlp"], "small", None)["mlp"]
    assert found.published is None and "PUBLISHED_PATH" in found.published_error
    assert found.ours > 0


def test_a_package_that_cannot_be_imported_is_reported(tmp_path):
    (result,) = planning.peer([tmp_path / "model.pt2"], str(tmp_path)).values()
    assert "Error" in result["error"]


@pytest.mark.parametrize(
    ("ours", "published_bytes", "within", "above"),
    [(100, 120, 1, []), (101, 100, 1, ["m"]), (102, None, 0, [])],
)
def test_the_summary_counts_targets(ours, published_bytes, within, above):
    found = planning.Figures(
        3, 100, ours, 0.01, {"naive": 300, "greedy": 150, "best_of_packings": ours}, published_bytes
    )
    result = planning.summary({"m": found})
    assert (result["within_1_percent"], result["above_published"]) == (within, above)
    assert {"lower_bound", "ours", "published", "plan_s"} <= set(result["models"]["m"])
    assert "m " in planning.table({"m": found})
