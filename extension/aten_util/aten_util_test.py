"""Kernels of the runtime as operators of PyTorch, compiled with the machine's compiler.

PyTorch's wheels have the ABI of GCC's standard library, which the hermetic compiler does not come with.
"""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess

import pytest
import torch

ROOT = pathlib.Path(__file__).resolve().parents[2]
CXX = shutil.which(os.environ.get("CXX", "c++"))
# What aten_bridge.cc and an operator need of the runtime.
SOURCES = (
    "extension/aten_util/aten_bridge.cc",
    "extension/aten_util/aten_util_test_ops.cc",
    "extension/tensor/tensor_ptr.cc",
    "runtime/core/device_allocator.cc",
    "runtime/core/evalue.cc",
    "runtime/core/memory_allocator.cc",
    "runtime/core/tag.cc",
    "runtime/core/exec_aten/util/scalar_type_basics.cc",
    "runtime/core/exec_aten/util/tensor_shape_to_c_string.cc",
    "runtime/core/exec_aten/util/tensor_size.cc",
    "runtime/core/exec_aten/util/tensor_util.cc",
    "runtime/core/portable_type/tensor_impl.cc",
    "runtime/kernel/boxing.cc",
    "runtime/kernel/operator_registry.cc",
    "runtime/platform/abort.cc",
    "runtime/platform/default/posix.cpp",
    "runtime/platform/log.cc",
    "runtime/platform/platform.cc",
    "runtime/platform/runtime.cc",
)

pytestmark = pytest.mark.skipif(
    CXX is None, reason="no C++ compiler with the ABI of PyTorch's wheels; set CXX to one"
)


def _compile(out: pathlib.Path) -> None:
    """Builds the operators the way a user does: our headers and PyTorch's on one include path."""
    assert CXX is not None
    include = out.parent / "include"
    include.mkdir()
    (include / "executorch").symlink_to(ROOT)
    torch_dir = pathlib.Path(torch.__file__).parent
    c10 = ROOT / "runtime/core/portable_type/c10"
    command = [CXX, "-std=c++20", "-O0", "-fPIC", "-shared", "-Wall", "-Wextra", "-Werror", f"-I{include}"]
    # The documented include path <c10/...> of the runtime goes before PyTorch's, the harder order.
    command += [f"-I{c10}", "-isystem", str(torch_dir / "include"), "-o", str(out)]
    command += [str(ROOT / source) for source in SOURCES]
    libraries = torch_dir / "lib"
    command += [f"-L{libraries}", f"-Wl,-rpath,{libraries}", "-ltorch", "-ltorch_cpu", "-lc10"]
    subprocess.run(command, check=True)


@pytest.fixture(scope="module")
def ops(tmp_path_factory: pytest.TempPathFactory) -> torch._ops._OpNamespace:
    library = tmp_path_factory.mktemp("aten_util") / "libaten_util_test_ops.so"
    _compile(library)
    torch.ops.load_library(str(library))
    return torch.ops.et_aten_util_test


def test_one_kernel_serves_the_runtime_and_torch_ops(ops: torch._ops._OpNamespace) -> None:
    x = torch.arange(6.0).reshape(2, 3)
    out = torch.empty(2, 3)
    assert ops.mul3.out(x, out=out) is out
    torch.testing.assert_close(out, 3 * x)
    torch.testing.assert_close(ops.mul3(x), 3 * x)
    assert ops.is_registered()


def test_layouts_that_kernels_do_not_know_are_copied(ops: torch._ops._OpNamespace) -> None:
    x = torch.arange(6.0).reshape(2, 3)
    torch.testing.assert_close(ops.mul3(x.t()), 3 * x.t())
    torch.testing.assert_close(ops.mul3(x[:, 1:]), 3 * x[:, 1:])
    out = torch.zeros(3, 4)[:, :2]
    ops.mul3.out(x.reshape(3, 2), out=out)
    torch.testing.assert_close(out, 3 * x.reshape(3, 2))
    image = torch.randn(1, 3, 2, 2).to(memory_format=torch.channels_last)
    torch.testing.assert_close(ops.mul3(image), 3 * image)


def test_optional_tensors(ops: torch._ops._OpNamespace) -> None:
    weight, x, bias = torch.randn(4, 3), torch.randn(2, 3), torch.randn(4)
    out = torch.empty(2, 4)
    ops.custom_linear.out(weight, x, bias, out=out)
    torch.testing.assert_close(out, torch.nn.functional.linear(x, weight, bias))
    ops.custom_linear.out(weight, x, None, out=out)
    torch.testing.assert_close(out, torch.nn.functional.linear(x, weight))


def test_every_kind_of_argument_and_a_smaller_output(ops: torch._ops._OpNamespace) -> None:
    x = torch.ones(2)
    out = torch.zeros(4)
    ops.sizes.out([x, x], 3, 1.5, True, 2.5, [1, 2], torch.half, "four", [7, 8, 9], out=out)
    assert out.tolist() == [2 + 2 + 4 + 3 + 100, 3 + 1.5 + 1 + 1]
    out = torch.zeros(4)
    ops.sizes.out([x], 0, 0.0, False, 0, [], None, "", None, out=out)
    assert out.tolist() == [1, 1]


def test_several_outputs(ops: torch._ops._OpNamespace) -> None:
    low, high = ops.minmax.out(torch.tensor([2.0, -1.0, 5.0]), low=torch.empty(1), high=torch.empty(1))
    assert (low.item(), high.item()) == (-1, 5)


def test_the_bridge(ops: torch._ops._OpNamespace) -> None:
    assert ops.through_the_bridge(torch.tensor([[1.0, 2.0]])).tolist() == [[42, 0]]
    assert ops.through_the_bridge(torch.tensor([[1.0, 2.0], [3.0, 4.0]]).t()).tolist() == [[40, 3], [2, 4]]


def test_what_cannot_be_converted_says_so(ops: torch._ops._OpNamespace) -> None:
    x, out = torch.ones(2), torch.zeros(2)

    def sizes(scalar: complex, out: torch.Tensor) -> None:
        ops.sizes.out([x], 0, 0.0, False, scalar, [], None, "", None, out=out)

    with pytest.raises(RuntimeError, match="the kernel failed: Error::InvalidArgument"):
        sizes(-1, out)
    with pytest.raises(RuntimeError, match="the kernel failed: Error::NotSupported"):
        sizes(0, torch.zeros(1))
    with pytest.raises(RuntimeError, match="no complex scalars"):
        sizes(1j, out)
    with pytest.raises(RuntimeError, match="dense CPU tensors, not one on meta"):
        ops.mul3.out(x.to("meta"), out=out)
    with torch._subclasses.FakeTensorMode() as mode, pytest.raises(RuntimeError, match="register_fake"):
        ops.mul3(mode.from_tensor(x))
