"""Bessel functions against mpmath: eager's J and Y are off by up to 1e-6 between 5 and 6."""

from __future__ import annotations

import mpmath
import pytest
import torch

from executorch.kernels.test.op_driver import OpDriver, Out
from executorch.kernels.test.oracle import assert_same, bind, call_out, check, resolve
from executorch.kernels.test.samples import INTS, SHAPES, tensor

#: name -> (what mpmath says of a number, the largest argument that is asked for)
_FUNCTIONS = {
    "special_bessel_j0": (lambda x: mpmath.besselj(0, x), 1e5),
    "special_bessel_j1": (lambda x: mpmath.besselj(1, x), 1e5),
    "special_bessel_y0": (lambda x: mpmath.bessely(0, x), 1e5),
    "special_bessel_y1": (lambda x: mpmath.bessely(1, x), 1e5),
    "special_modified_bessel_i0": (lambda x: mpmath.besseli(0, x), 700),
    "special_modified_bessel_i1": (lambda x: mpmath.besseli(1, x), 700),
    "special_modified_bessel_k0": (lambda x: mpmath.besselk(0, x), 700),
    "special_modified_bessel_k1": (lambda x: mpmath.besselk(1, x), 700),
    "special_scaled_modified_bessel_k0": (lambda x: mpmath.besselk(0, x) * mpmath.exp(x), 1e5),
    "special_scaled_modified_bessel_k1": (lambda x: mpmath.besselk(1, x) * mpmath.exp(x), 1e5),
    "special_spherical_bessel_j0": (mpmath.sinc, 1e5),
}
_OF_ANY_SIGN = ("_j0", "_j1", "_i0", "_i1")


@pytest.fixture(scope="module")
def driver():
    driver = OpDriver()
    yield driver
    driver.close()


@pytest.mark.parametrize("name", _FUNCTIONS)
def test_to_the_last_digits(driver, name):
    function, most = _FUNCTIONS[name]
    steps = [1e-300, 1e-20, 9.9e-9, 1.1e-8, 0.0099, 0.011, 2.0, 2.01, 24.99, 25.0, 30.0, 30.01, most]
    x = torch.tensor([*steps, *(i * 0.6 for i in range(1, 101))], dtype=torch.float64)
    x = torch.cat([x, -x]) if name.endswith(_OF_ANY_SIGN) else x
    with mpmath.workdps(40):
        truth = torch.tensor(
            [float(function(mpmath.mpf(number))) for number in x.tolist()], dtype=torch.float64
        )
    op = resolve(name)
    result = call_out(driver, resolve(f"{name}.out"), bind(op, [x], {}), [Out(like=x)])
    assert result.error == 0
    # Near zeros of a function, and where I overflows or K vanishes, the last digits of x count for more.
    absolute = 1e-14 if "_bessel_" in name and "modified" not in name else 0
    assert_same(result.outputs[0], truth, (absolute, 3e-13 if "modified" in name else 1e-14))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("name", _FUNCTIONS)
def test_as_in_eager(driver, name, dtype):
    low = -30 if name.endswith(_OF_ANY_SIGN) else 0.01
    for shape in SHAPES:
        check(driver, name, f"{name}.out", [tensor(shape, dtype, low=low, high=30)], tolerance=(5e-6, 1e-5))
    image = tensor((2, 3, 4, 5), dtype, low=0.1, high=9.0, channels_last=True)
    check(driver, name, f"{name}.out", [image], tolerance=(5e-6, 1e-5))
    ends = torch.tensor([0.0, -0.0, torch.inf, torch.nan]).to(dtype)
    ends = ends if name.endswith(("_i0", "_i1")) else torch.cat([ends, torch.tensor([-torch.inf, -1.0])])
    check(driver, name, f"{name}.out", [ends])


@pytest.mark.parametrize("name", _FUNCTIONS)
def test_of_integers(driver, name):
    for dtype in (*INTS, torch.bool):
        x = tensor((7,), dtype, low=0, high=9)
        check(driver, name, f"{name}.out", [x], tolerance=(5e-6, 1e-5))
