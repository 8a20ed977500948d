"""Whole models on the real library, lowered whole; ``full_models_test`` has those of the published sizes."""

import pytest

from executorch.backends.openvino.test.whole import difference
from executorch.backends.test.models_for_tests import SMALL, trained


@pytest.mark.parametrize("name", SMALL)
def test_models_are_lowered_whole_and_right(name):
    found = difference(*trained(SMALL[name]))
    print(f"{name}: largest difference {found:.1e} of the largest result")
    assert found < 1e-5
