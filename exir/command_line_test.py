"""The command line writes a program and says what is in it."""

import json
import pathlib

import pytest
from absl import app, flags
from absl.testing import flagsaver

from executorch.exir import command_line
from executorch.exir.command_line import Recipe, load, main

_HERE = "executorch.exir.command_line_for_tests"


@pytest.fixture(autouse=True)
def _parsed_flags():
    flags.FLAGS.mark_as_parsed()


def _run(capsys, tmp_path, **chosen):
    path = str(tmp_path / "out.pte")
    with flagsaver.as_parsed(module=f"{_HERE}:make_linear", output=path, **chosen):
        main(["prog"])
    printed = capsys.readouterr().out.splitlines()
    assert printed[-1].startswith("RESULT ")
    return path, printed, json.loads(printed[-1].removeprefix("RESULT "))


def test_a_program_is_written_and_summarised(capsys, tmp_path):
    path, printed, facts = _run(capsys, tmp_path)
    data = pathlib.Path(path).read_bytes()
    assert data[4:8] == b"ET12"
    method = facts["methods"]["forward"]
    assert method["inputs"] == ["float[8, 4]"] and method["outputs"] == ["float[8, 3]"]
    assert method["operators"]["aten.relu.default"] == 1 and method["delegates"] == []
    assert facts["bytes"] == len(data) and printed[0] == f"{path}: {facts['bytes']} bytes"
    assert "method forward" in printed and "       1 aten.relu.default" in "\n".join(printed)


def test_backends_and_recipes(capsys, tmp_path):
    _, printed, facts = _run(capsys, tmp_path, backend=[f"{_HERE}:TakeRelu"], recipe=f"{_HERE}:with_version")
    assert facts["methods"]["forward"]["delegates"] == ["CommandLineBackend"]
    assert "aten.relu.default" not in facts["methods"]["forward"]["operators"]
    assert facts["methods"]["version"]["outputs"] == ["Int"]
    assert "  delegate CommandLineBackend" in printed
    assert facts["methods"]["forward"]["delegated_share"] == 0.0
    assert any(line.startswith("  work     24 multiply-accumulates, 0.0%") for line in printed)


def test_backends_are_compared_and_nothing_is_written(capsys, tmp_path):
    path = tmp_path / "out.pte"
    chosen = {"module": f"{_HERE}:make_linear", "output": str(path), "compare": True}
    with flagsaver.as_parsed(
        backend=[f"{_HERE}:TakeRelu"], **{key: str(value) for key, value in chosen.items()}
    ):
        main(["prog"])
    printed = capsys.readouterr().out
    row = next(line for line in printed.splitlines() if line.startswith("TakeRelu |"))
    assert [cell.strip() for cell in row.split("|")][1:4] == ["0.0%", "1", "2"]
    assert "aten.addmm.default" in printed and "100.0%" in printed and not path.exists()
    with flagsaver.as_parsed(module=f"{_HERE}:make_linear", compare="true"), pytest.raises(app.UsageError):
        main(["prog"])


@pytest.mark.parametrize(
    ("path", "message"),
    [("nothing", "takes package.module:name"), ("no_such_package:x", "No module"), (f"{_HERE}:nope", "nope")],
)
def test_names_that_name_nothing(path, message):
    with pytest.raises(app.UsageError, match=message):
        load(path, "module")


def test_a_factory_that_returns_something_else():
    with pytest.raises(app.UsageError, match="must return"):
        command_line.capture(load(f"{_HERE}:make_nothing", "module"), strict=False)


def test_recipes_of_the_export_library():
    class Lowering:
        partitioners = ["p"]
        edge_compile_config = "edge"

    class Other:
        lowering_recipe = Lowering
        quantization_recipe = None
        executorch_backend_config = "config"
        strict = True

    assert Recipe.from_any(Other) == Recipe(["p"], None, "edge", "config", None, True)
    Other.quantization_recipe = object()
    with pytest.raises(app.UsageError, match="quantizes"):
        Recipe.from_any(Other)
    with pytest.raises(app.UsageError, match="not a recipe"):
        Recipe.from_any(3)
