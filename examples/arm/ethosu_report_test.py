"""The report's rows at a size for tests."""

import json

from executorch.examples.arm import ethosu_report


def test_rows(capsys):
    assert ethosu_report.main(["--side=32", "--images=2"]) == 0
    said = capsys.readouterr().out
    network, spotter = json.loads(said.strip().split("\n")[-1].removeprefix("RESULT "))["rows"]
    assert network["delegates"] == 1 and network["seconds_ours"] > 0 < network["seconds_vela"]
    assert all("quantize" in one for one in network["operators_left"])
    # Less than what quantization itself does.
    assert network["noise"] < network["noise_of_quantization"] / 2
    assert spotter["delegates"] >= 1
    left = {one["operator"]: one["reason"] for one in spotter["left"]}
    assert left["aten.topk.default"] == "aten.topk.default has no lowering to TOSA"
    assert left["aten.topk.default"] in said
    assert left["getitem"].startswith("a result of aten_topk")


def test_a_trained_network_is_as_good_on_the_delegate(capsys):
    assert ethosu_report.main(["--train", "--epochs=2"]) == 0
    said = capsys.readouterr().out
    (row,) = json.loads(said.strip().split("\n")[-1].removeprefix("RESULT "))["rows"]
    assert row["images"] >= 200 and all("quantize" in one for one in row["operators_left"])
    # Better than by chance, so that a difference could be seen.
    assert row["top_1_float"] > 40 < row["top_1_quantized"]
    assert row["points_from_quantized"] <= 0.5
    assert f"ethosu     {row['top_1_ethosu']:.2f}" in said
