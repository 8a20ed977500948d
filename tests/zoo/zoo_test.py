"""Each architecture of one family (``-k <family>-``): lowered, run, compared with eager PyTorch."""

import pytest

from executorch.tests.zoo import registry
from executorch.tests.zoo.run import run


@pytest.mark.parametrize("family", [pytest.param(family, id=f"{family}-") for family in registry.FAMILIES])
def test_catalogue_is_what_the_family_builds(family):
    assert tuple(registry.factories(family)) == registry.FAMILIES[family]


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, id=f"{family}-{name}")
        for family in registry.FAMILIES
        for name in registry.names(family)
    ],
)
def test_same_as_eager(name, record_property, capsys):
    for dtype, allowed in registry.make(name).tolerance.items():
        outcome = run(registry.make(name, dtype=dtype))
        line = (
            f"{name} {str(dtype).removeprefix('torch.')}: largest error {outcome.error:.1e} of {allowed:.0e}, "
            f"{outcome.planned_bytes} bytes planned, {outcome.program_bytes} bytes of program, "
            f"{outcome.operators} calls"
        )
        record_property(f"{dtype}", line)
        with capsys.disabled():
            print(line)
        assert outcome.error <= allowed, line
