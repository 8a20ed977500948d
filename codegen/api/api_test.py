"""Types, signatures and conversions of kernels' arguments."""

import pytest
from torchgen import local
from torchgen.model import FunctionSchema, Location, NativeFunction, Type

from executorch.codegen.api import et_cpp
from executorch.codegen.api.custom_ops import ComputeNativeFunctionStub, gen_custom_ops_registration
from executorch.codegen.api.types import ExecutorchCppSignature
from executorch.codegen.api.unboxing import Unboxing
from executorch.codegen.parse import parse_et_yaml_struct

ADD = (
    "my::add.out(Tensor self, Scalar[] s, int[]? dim=None, bool keep=False, *, Tensor(a!) out) -> Tensor(a!)"
)
CUSTOM = "my::twice.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"


@pytest.fixture(autouse=True)
def settings():
    with local.parametrize(use_const_ref_for_mutable_tensors=False, use_ilistref_for_tensor_lists=False):
        yield


def function(schema):
    entry = {"func": schema, "variants": "function", "__line__": 1}
    return NativeFunction.from_yaml(entry, loc=Location("test", 1), valid_tags=set())[0]


@pytest.mark.parametrize(
    ("schema", "cpp"),
    [
        ("Tensor", "const torch::executor::Tensor &"),
        ("Tensor?", "const std::optional<torch::executor::Tensor> &"),
        ("Tensor[]", "torch::executor::TensorList"),
        ("Tensor?[]", "torch::executor::ArrayRef<std::optional<torch::executor::Tensor>>"),
        ("Scalar", "const torch::executor::Scalar &"),
        ("SymInt", "int64_t"),
        ("int[2]", "torch::executor::ArrayRef<int64_t>"),
        ("float[]?", "std::optional<torch::executor::ArrayRef<double>>"),
        ("bool[3]", "torch::executor::ArrayRef<bool>"),
        ("str?", "std::optional<std::string_view>"),
    ],
)
def test_types_of_parameters(schema, cpp):
    assert et_cpp.argumenttype_type(Type.parse(schema), mutable=False, binds="x").cpp_type() == cpp


def test_what_is_written_is_taken_and_given_back_by_reference():
    signature = ExecutorchCppSignature.from_native_function(function(ADD))
    assert signature.name() == "add_outf"
    assert signature.decl(include_context=False) == (
        "torch::executor::Tensor & add_outf(const torch::executor::Tensor & self, "
        "torch::executor::ArrayRef<torch::executor::Scalar> s, std::optional<torch::executor::ArrayRef<int64_t>> dim, "
        "bool keep, torch::executor::Tensor & out)"
    )
    assert signature.decl().startswith(
        "torch::executor::Tensor & add_outf(torch::executor::KernelRuntimeContext & context, const "
    )


def test_a_list_of_truth_values_needs_its_size():
    with pytest.raises(AssertionError, match="needs a size"):
        et_cpp.argumenttype_type(Type.parse("bool[]"), mutable=False, binds="x")


@pytest.mark.parametrize(
    ("default", "schema", "cpp"),
    [
        ("None", "Tensor?", "{}"),
        ("None", "int?", "std::nullopt"),
        ("'it\\'s'", "str", '"it\'s"'),
        ("[1,2]", "int[2]", "{1,2}"),
        ("[True,False]", "bool[2]", "{true,false}"),
        ("True", "bool", "true"),
    ],
)
def test_defaults(default, schema, cpp):
    assert et_cpp.default_expr(default, Type.parse(schema)) == cpp


def test_a_number_is_no_default_of_a_list():
    with pytest.raises(ValueError, match="Expected a list default"):
        et_cpp.default_expr("1", Type.parse("int[]"))


def test_names_of_results():
    assert et_cpp.return_names(function("f(Tensor self) -> (Tensor a, Tensor self)")) == ["a", "self_return"]
    assert et_cpp.return_names(function("f(Tensor self) -> (Tensor, Tensor)")) == ["result0", "result1"]
    assert et_cpp.return_names(function(CUSTOM)) == ["out"]


def test_values_of_a_stack_become_arguments():
    signature = ExecutorchCppSignature.from_native_function(function(ADD))
    bindings, lines = Unboxing(et_cpp.argumenttype_type).convert_arguments(
        signature.arguments(include_context=False)
    )
    assert [binding.name for binding in bindings] == [
        "self_base",
        "s_list_out",
        "dim_opt_out",
        "keep_base",
        "out_base",
    ]
    text = "\n".join(lines)
    assert "EValue& out = *stack[4];" in text
    assert "torch::executor::Tensor & out_base = out.to<torch::executor::Tensor>();" in text
    assert "auto dim_opt_out = dim.toOptional<torch::executor::ArrayRef<int64_t>>();" in text
    assert "std::vector<torch::executor::Scalar> s_vec;" in text


def test_a_stub_gives_back_what_it_was_given():
    stub = ComputeNativeFunctionStub()
    assert "return out;" in stub(function(CUSTOM))
    assert "return a;" in stub(function("my::f(Tensor a) -> Tensor"))
    assert "::std::tuple<at::Tensor, at::Tensor>" in stub(function("my::f(Tensor a) -> (Tensor, Tensor)"))
    with pytest.raises(Exception, match="Can't handle this return type"):
        stub(function("my::f(Tensor a) -> Scalar"))


def test_registration_with_pytorch():
    from torchgen.selective_build.selector import SelectiveBuilder

    f = function(CUSTOM)
    index = parse_et_yaml_struct([{"func": CUSTOM, "kernels": [{"kernel_name": "my::twice_out"}]}])
    assert FunctionSchema.parse(CUSTOM.split("::")[1]).name in index.index
    wrappers, blocks = gen_custom_ops_registration(
        native_functions=[f], selector=SelectiveBuilder.get_nop_selector(), kernel_index=index, rocm=False
    )
    assert "return my::native::twice_out(self, out);" in wrappers
    assert 'TORCH_LIBRARY_IMPL(my, CPU, m) {\nm.impl("twice.out",' in blocks
