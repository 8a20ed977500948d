"""The example, on the driver for the processor: right results, one delegate, a row for each shader."""

import pytest

from executorch.examples.shaders import shaders


@pytest.mark.parametrize(
    ("name", "some"), [("mobilenet_v2", "conv3x3_float"), ("language_model", "attention_float")]
)
def test_a_model_is_one_delegate_and_its_shaders_have_times(name, some, capsys):
    rows, num_delegates, difference = shaders.run(name)
    assert num_delegates == 1
    assert difference < 1e-4
    assert any(row.shader.startswith(some) for row in rows)
    assert all(row.runs > 0 and row.milliseconds > 0 for row in rows)
    lines = shaders.table(rows).splitlines()
    assert len(lines) == len(rows) + 2
    assert lines[-1].split()[1] == str(sum(row.runs for row in rows))


def test_a_model_that_is_not_there_is_said(capsys):
    assert shaders.main(["--models=none"]) == 1
    assert "there is no model none; there are mobilenet_v2, language_model" in capsys.readouterr().err
