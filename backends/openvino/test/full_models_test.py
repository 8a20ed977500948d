"""Models of the published sizes; prints the largest differences."""

import pytest

from executorch.backends.openvino.test.whole import difference
from executorch.backends.test.models_for_tests import FULL, trained


@pytest.mark.parametrize("name", FULL)
def test_models_of_the_published_sizes(name):
    found = difference(*trained(FULL[name]))
    print(f"{name}: largest difference {found:.1e} of the largest result")
    assert found < 1e-5
