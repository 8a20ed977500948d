"""From yaml files to C++, through the command line."""

import sys

import pytest

from executorch.codegen import gen

FUNCTIONS = """
- op: add.out
  kernels:
    - arg_meta: null
      kernel_name: torch::executor::add_out
- op: mul.out
  type_alias: {T0: [Float]}
  dim_order_alias: {D0: [0, 1]}
  kernels:
    - arg_meta: null
      kernel_name: torch::executor::mul_out
    - arg_meta: {self: [T0, D0], other: [T0, D0], out: [T0, D0]}
      kernel_name: my::fast_mul_out
"""
ATEN = """
- func: add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
  structured_delegate: add.out
- func: add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)
  structured: True
  dispatch:
    CPU: add_out
- func: mul.Tensor(Tensor self, Tensor other) -> Tensor
  dispatch:
    CPU: mul
- func: mul.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
  dispatch:
    CPU: mul_out
"""
CUSTOM = """
- func: my::twice.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
  variants: function
  kernels:
    - arg_meta: null
      kernel_name: my::twice_out
"""
SELECTION = """
include_all_operators: false
operators:
  aten::mul.out: {is_root_operator: true, is_used_for_training: true, include_all_overloads: false}
et_kernel_metadata:
  aten::mul.out: ["v1/6;0,1|6;0,1|6;0,1"]
"""


@pytest.fixture
def generate(tmp_path, monkeypatch):
    """Runs the command line; returns the texts of the files that it writes."""
    files = {
        "aten.yaml": ATEN,
        "functions.yaml": FUNCTIONS,
        "custom.yaml": CUSTOM,
        "selection.yaml": SELECTION,
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)

    def run(*arguments):
        out = tmp_path / "out"
        given = [argument.replace("DIR", str(tmp_path)) for argument in arguments]
        argv = ["gen", f"--install-dir={out}", f"--aten-yaml-path={tmp_path / 'aten.yaml'}", *given]
        monkeypatch.setattr(sys, "argv", argv)
        gen.main()
        return {path.name: path.read_text() for path in out.iterdir()}

    return run


def test_kernels_are_declared_and_registered(generate):
    files = generate("--functions-yaml-path=DIR/functions.yaml")
    assert set(files) == {"Functions.h", "NativeFunctions.h", "RegisterCodegenUnboxedKernelsEverything.cpp"}
    assert "namespace my {\nnamespace native {" in files["NativeFunctions.h"]
    assert files["NativeFunctions.h"].count("fast_mul_out(") == 2
    assert "return ::torch::executor::native::mul_out(context, self, other, out);" in files["Functions.h"]
    table = files["RegisterCodegenUnboxedKernelsEverything.cpp"]
    assert table.count("Kernel(\n") == 3
    assert '"v1/6;0,1|6;0,1|6;0,1",' in table
    assert "my::native::fast_mul_out(context, self_base, other_base, out_base);" in table


def test_a_selection_keeps_its_kernels_only(generate):
    files = generate(
        "--functions-yaml-path=DIR/functions.yaml", "--op-selection-yaml-path=DIR/selection.yaml"
    )
    table = files["RegisterCodegenUnboxedKernelsEverything.cpp"]
    assert table.count("Kernel(\n") == 1
    assert "fast_mul_out" in table and "add_out" not in files["NativeFunctions.h"]


def test_registration_on_demand(generate):
    files = generate("--functions-yaml-path=DIR/functions.yaml", "--manual-registration")
    assert "register_all_kernels();" in files["RegisterKernels.h"]
    assert "Error register_all_kernels() {" in files["RegisterKernelsEverything.cpp"]


def test_custom_operators_become_known_to_pytorch(generate):
    files = generate("--custom-ops-yaml-path=DIR/custom.yaml", "--use-aten-lib")
    assert "twice_out(" in files["CustomOpsNativeFunctions.h"]
    assert 'm.impl("twice.out",' in files["RegisterCPUCustomOps.cpp"]
    assert "return out;" in files["RegisterCPUStub.cpp"]
    assert "twice.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)" in files["RegisterSchema.cpp"]


def test_an_exception_can_become_a_failure(generate):
    files = generate("--functions-yaml-path=DIR/functions.yaml", "--add-exception-boundary")
    assert "catch (const std::exception& ex)" in files["RegisterCodegenUnboxedKernelsEverything.cpp"]


def test_variants_that_pytorch_generates_have_schemas(generate, tmp_path):
    (tmp_path / "aten.yaml").write_text(
        "- func: my_norm(Tensor input, float eps) -> Tensor\n  dispatch: {CPU: my_norm}\n  autogen: my_norm.out\n"
    )
    (tmp_path / "functions.yaml").write_text("- op: my_norm.out\n  kernels: [{kernel_name: my::norm_out}]\n")
    files = generate("--functions-yaml-path=DIR/functions.yaml")
    assert "norm_out(const torch::executor::Tensor & input, double eps," in files["NativeFunctions.h"]


def test_factories_and_random_operators_need_no_more_than_kernels(generate, tmp_path):
    (tmp_path / "aten.yaml").write_text(
        "- func: my_like.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)\n"
        "- func: my_rand.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)\n"
    )
    (tmp_path / "functions.yaml").write_text(
        "- op: my_like.out\n  kernels: [{kernel_name: my::like_out}]\n"
        "- op: my_rand.out\n  kernels: [{kernel_name: my::rand_out}]\n"
    )
    files = generate("--functions-yaml-path=DIR/functions.yaml", "--generate=headers")
    assert "like_out(" in files["NativeFunctions.h"] and "rand_out(" in files["NativeFunctions.h"]


def test_an_operator_that_pytorch_has_not_is_named(generate, tmp_path):
    (tmp_path / "functions.yaml").write_text("- op: nothing_like_that.out\n  kernels: []\n")
    with pytest.raises(AssertionError, match=r"no operator of PyTorch is called nothing_like_that\.out"):
        generate("--functions-yaml-path=DIR/functions.yaml")


def test_there_must_be_something_to_do(generate):
    with pytest.raises(AssertionError, match="nothing to generate"):
        generate()
