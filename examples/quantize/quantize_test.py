"""The job with less training: the figures are there, and int8 is nearly as good as fp32."""

import json

from PIL import Image

from executorch.examples.quantize import main


def test_the_whole_job(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("BUILD_WORKING_DIRECTORY", str(tmp_path))
    arguments = ["--out", "made", "--quiet", "--epochs", "8", "--mobilenet-epochs", "3", "--rounds", "3"]
    status = main.main(arguments)
    last = capsys.readouterr().out.strip().splitlines()[-1]
    found = json.loads(last.removeprefix("RESULT "))
    assert list(found) == ["digits", "MobileNetV2"]
    for figures in found.values():
        assert figures["fp32_accuracy"] > 0.85
        assert figures["int8_accuracy"] > figures["fp32_accuracy"] - 0.02
        assert figures["sqnr_db"] > 15
        assert figures["int8_bytes"] < figures["fp32_bytes"] / 2
        assert figures["fp32_us"] > 0 and figures["int8_us"] > 0
        assert figures["delegates"] <= 2 and figures["undelegated"] == 0
        assert all(layer["sqnr_db"] is None or layer["sqnr_db"] > 5 for layer in figures["layers"])
    assert len(found["MobileNetV2"]["layers"]) > 60
    assert status == int(any(one["fp32_accuracy"] - one["int8_accuracy"] > 0.005 for one in found.values()))
    with Image.open(tmp_path / "made" / "quantize.png") as image:
        assert image.width > 900 and len(image.convert("RGB").getcolors(1 << 24)) > 5
