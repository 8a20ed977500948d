"""The example runs, delegates what it says, and agrees with eager for every length that the program takes."""

import pytest

from executorch.examples.delegate.main import run


@pytest.mark.parametrize(("time", "min_nodes"), [(2, 1), (24, 2), (32, 1)])
def test_the_example(time, min_nodes, capsys):
    result = run(time, min_nodes)
    printed = capsys.readouterr().out
    assert result.equal and result.largest_difference < 1e-3
    assert result.delegates >= 3 and result.delegated_nodes > result.delegates
    assert "not taken by" in printed and "no bytecode for this operator" in printed
    assert ("min_nodes is 2" in printed) is (min_nodes == 2)
