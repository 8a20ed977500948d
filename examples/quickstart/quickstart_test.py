"""The main job with fewer epochs: the figures are there, right, and equal in every way of running."""

import json
import pathlib

import pytest
import torch
from PIL import Image

from executorch.examples.quickstart import main
from executorch.examples.quickstart.output import output_directory
from executorch.examples.quickstart.report import Result, contact_sheet
from executorch.examples.quickstart.run import find_runner
from executorch.examples.quickstart.train import load_data, train

ROOT = pathlib.Path(__file__).absolute().parents[2]

KEYS = [
    "eager_accuracy",
    "runtime_accuracy",
    "predictions_equal",
    "max_abs_diff",
    "pte_bytes",
    "planned_bytes",
    "lower_bound_bytes",
    "load_ms",
    "us_per_image",
]


def test_the_whole_job(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("BUILD_WORKING_DIRECTORY", str(tmp_path))
    assert main.main(["--out", "made/here", "--quiet"]) == 0
    last = capsys.readouterr().out.strip().splitlines()[-1]
    assert last.startswith("RESULT ")
    figures = json.loads(last.removeprefix("RESULT "))
    assert list(figures) == KEYS
    assert figures["predictions_equal"] is True
    assert figures["eager_accuracy"] == figures["runtime_accuracy"] > 0.96
    assert 0 <= figures["max_abs_diff"] < 1e-4
    pte = tmp_path / "made" / "here" / "digits.pte"
    assert figures["pte_bytes"] == pte.stat().st_size
    # 11,482 float32 weights, and no more than a third on top.
    assert 4 * 11482 < figures["pte_bytes"] < 4 * 11482 * 4 // 3
    assert 0 < figures["lower_bound_bytes"] <= figures["planned_bytes"] <= 1.5 * figures["lower_bound_bytes"]
    # One image, the largest activation and its pooled half must live at once.
    assert figures["lower_bound_bytes"] >= 4 * (16 * 64 + 16 * 16)
    assert figures["load_ms"] > 0 and figures["us_per_image"] > 0
    with Image.open(tmp_path / "made" / "here" / "digits.png") as sheet:
        assert sheet.width > 800 and len(sheet.convert("RGB").getcolors(1 << 24)) > 10


def test_training_is_seeded():
    data = load_data()
    assert len(data.train_labels) + len(data.test_labels) == 1797
    first, second = (train(data, epochs=1, progress=False).state_dict() for _ in range(2))
    assert all(torch.equal(first[key], second[key]) for key in first)


def test_mistakes_stand_out_on_the_contact_sheet():
    images, labels = torch.zeros(3, 1, 8, 8), torch.tensor([1, 2, 3])
    clean, wrong = (contact_sheet(images, labels, torch.tensor(said)) for said in ([1, 2, 3], [1, 7, 3]))
    red = (198, 40, 40)
    assert red not in {color for _, color in clean.getcolors(1 << 24)}
    assert red in {color for _, color in wrong.getcolors(1 << 24)}


def test_without_out_nothing_is_kept(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with output_directory(None) as directory:
        (directory / "x").write_text("")
    assert not directory.exists() and not list(tmp_path.iterdir())


def test_the_way_out_when_the_runner_is_missing(tmp_path):
    with pytest.raises(FileNotFoundError, match="bazelw build //extension/executor_runner"):
        find_runner(tmp_path)
    assert find_runner(ROOT).is_file()


def test_the_last_line_is_json():
    line = Result(0.5, 0.5, True, 0.0, 1, 2, 2, 0.1, 3.0).line()
    assert json.loads(line.removeprefix("RESULT "))["predictions_equal"] is True
