import pytest

from executorch.backends.apple.test.lowered_models import BACKENDS, row


@pytest.mark.parametrize("half", [False, True])
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_row_of_the_table(backend, half):
    made = row("encoder", "small", backend, half)
    assert (made.delegates, made.outside) == (1, 0) and made.operators > 5
    assert made.difference < (2e-2 if half else 1e-5)
    assert str(made).count("|") == 7
