"""The generator: schemas to C++ types, yaml to keys, selection, and what it says about mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from executorch.kernels.codegen import gen, render
from executorch.kernels.codegen.functions import (
    FunctionsError,
    load_functions,
    load_schemas,
    merge,
    native_function,
    select,
)
from executorch.kernels.codegen.schema import SchemaError, canonical_name, parse_schema

ADD = "aten::add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)"


@pytest.fixture
def write(tmp_path):
    """Writes a functions.yaml."""

    def write(document, name="functions.yaml"):
        path = tmp_path / name
        path.write_text(yaml.safe_dump(document))
        return path

    return write


def entry(op, kernel, **extra):
    return {"op": op, "kernels": [{"arg_meta": None, "kernel_name": kernel}], **extra}


def test_parses_a_schema():
    schema = parse_schema(ADD)
    assert schema.full_name == "aten::add.out"
    assert [a.name for a in schema.arguments] == ["self", "other", "alpha", "out"]
    assert [a.name for a in schema.outputs] == ["out"]
    assert schema.cpp_return_type == "executorch::aten::Tensor&"
    assert schema.cpp_parameters == [
        "const executorch::aten::Tensor&",
        "const executorch::aten::Tensor&",
        "const executorch::aten::Scalar&",
        "executorch::aten::Tensor&",
    ]


@pytest.mark.parametrize(
    "argument,cpp",
    [
        ("SymInt[2] size", "executorch::aten::ArrayRef<int64_t>"),
        ("int[1]? dim=None", "executorch::aten::OptionalArrayRef<int64_t>"),
        ("Tensor?[] indices", "executorch::aten::ArrayRef<std::optional<executorch::aten::Tensor>>"),
        ("Tensor? bias", "const std::optional<executorch::aten::Tensor>&"),
        ("str approximate='none, or (tanh'", "std::string_view"),
        ("ScalarType? dtype=None", "std::optional<executorch::aten::ScalarType>"),
        ("Tensor(a!) x", "executorch::aten::Tensor&"),
        ("Tensor(a!)[] outs", "executorch::aten::ArrayRef<executorch::aten::Tensor>"),
        ("float eps=1e-05", "double"),
    ],
)
def test_types(argument, cpp):
    schema = parse_schema(f"ns::f({argument}, *, Tensor(z!) out) -> Tensor(z!)")
    assert schema.cpp_parameters[0] == cpp


def test_several_and_no_results():
    schema = parse_schema("f.out(Tensor x, *, Tensor(a!) a, Tensor(b!) b) -> (Tensor(a!), Tensor(b!))")
    assert schema.cpp_return_type.startswith("std::tuple<")
    assert parse_schema("f.out(Tensor x, *, Tensor(a!)[] out) -> ()").cpp_return_type == "void"


@pytest.mark.parametrize(
    "text", ["add.out", "add.out(Tensor) -> Tensor", "add.out(Dict x) -> Tensor", "a-b(Tensor x) -> Tensor"]
)
def test_bad_schemas_are_quoted(text):
    with pytest.raises(SchemaError, match=r"add|a-b"):
        parse_schema(text)


def test_names():
    assert canonical_name("add.out") == "aten::add.out"
    assert canonical_name(" my::op ") == "my::op"
    assert native_function("torch::executor::add_out") == "torch::executor::native::add_out"
    with pytest.raises(FunctionsError, match="namespace"):
        native_function("add_out")


def test_specialized_kernels_get_a_key_for_each_combination(write):
    document = entry("add.out", "torch::executor::add_out")
    document |= {"type_alias": {"T0": ["Double", "Float"]}, "dim_order_alias": {"D0": [[0, 1, 2, 3]]}}
    document["kernels"].append(
        {
            "arg_meta": {"self": ["T0", "D0"], "other": ["T0", "D0"], "out": ["T0", "D0"]},
            "kernel_name": "torch::executor::fast_add_out",
        }
    )
    (function,) = load_functions(write([document]), load_schemas())
    assert function.kernels[0].keys == (None,)
    group = "{};0,1,2,3"
    assert function.kernels[1].keys == (
        "v1/" + "|".join([group.format(7)] * 3),
        "v1/" + "|".join([group.format(6)] * 3),
    )
    source = render.register_kernels_source([function], "<x/NativeFunctions.h>")
    assert source.count("fast_add_out") == 2
    assert 'KernelKey("v1/7;0,1,2,3|7;0,1,2,3|7;0,1,2,3")' in source


def test_custom_operator(write):
    func = "my_ops::scale.out(Tensor x, float by, *, Tensor(a!) out) -> Tensor(a!)"
    path = write([{"func": func, "kernels": [{"arg_meta": None, "kernel_name": "my::scale_out"}]}])
    functions = load_functions(path, {})
    assert "namespace my::native {" in render.native_functions_header(functions)
    header = render.functions_header(functions, "<my/NativeFunctions.h>")
    assert "namespace torch::executor::my_ops {" in header
    assert "scale_outf(" in header


def test_an_operator_of_the_namespace_executorch(write):
    func = "executorch::scale.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)"
    path = write([{"func": func, "kernels": [{"arg_meta": None, "kernel_name": "my::scale_out"}]}])
    header = render.functions_header(load_functions(path, {}), "<my/NativeFunctions.h>")
    # Within torch::executor::executorch the name alone is not that of the runtime.
    assert "namespace torch::executor::executorch {" in header
    assert "inline ::executorch::aten::Tensor& scale_outf(::executorch::runtime::" in header


def test_kernels_are_declared_without_a_context_too(write):
    func = "my_ops::split.out(Tensor x, *, Tensor(a!)[] out) -> ()"
    path = write(
        [
            entry("add.out", "my::add_out"),
            {"func": func, "kernels": [{"arg_meta": None, "kernel_name": "my::split"}]},
            # An output may be called as what a kernel gives.
            entry("_linalg_det.result", "my::det"),
        ]
    )
    functions = load_functions(path, load_schemas())
    header = render.native_functions_header(functions)
    assert "Tensor& add_out(executorch::runtime::KernelRuntimeContext& context, const" in header
    assert "Tensor& add_out(const executorch::aten::Tensor& self, const" in header
    source = render.without_context_source(functions, "<my/NativeFunctions.h>")
    assert "#include <my/NativeFunctions.h>\n" in source and "#pragma once" not in source
    assert "returned = ::my::native::add_out(context, self, other, alpha, out);" in source
    assert "  ::my::native::split(context, x, out);" in source
    assert source.count("ET_WEAK ") == 3 and source.count("return returned;") == 2
    assert "returned = ::my::native::det(context, A, result, LU, pivots);" in source


def test_an_operator_without_outputs_writes_its_result(write):
    """A functional operator's kernel gets the result that the program has memory for as a last parameter."""
    func = "my_ops::twice(Tensor x) -> Tensor"
    path = write([{"func": func, "kernels": [{"arg_meta": None, "kernel_name": "my::twice"}]}])
    functions = load_functions(path, {})
    assert functions[0].schema.is_functional
    declaration = (
        "twice(executorch::runtime::KernelRuntimeContext& context, const executorch::aten::Tensor& x, "
    )
    assert declaration + "executorch::aten::Tensor& out);" in render.native_functions_header(functions)
    source = render.register_kernels_source(functions, "<my/NativeFunctions.h>")
    assert "(&::my::native::twice)>, 1>, executorch::runtime::written_arguments<" in source
    assert source.count("void into_result(") == 1
    assert not parse_schema(ADD).is_functional
    assert "into_result" not in render.register_kernels_source([], "<my/NativeFunctions.h>")


@pytest.mark.parametrize(
    "document,message",
    [
        ({}, "expected a list"),
        ([{"kernels": []}], "either `op` or `func`"),
        ([entry("add.out", "torch::executor::add_out")] * 2, "listed twice"),
        ([entry("no_such_op.out", "torch::executor::f")], "no schema"),
        ([entry("add.out", "torch::executor::f", colour="red")], "unknown keys"),
        ([{"op": "add.out", "kernels": []}], "must be a list"),
        ([{"op": "add.out", "kernels": [{"arg_meta": None}]}], "needs a kernel_name"),
        (
            [{"op": "add.out", "kernels": [{"arg_meta": {"self": ["T0", "D0"]}, "kernel_name": "a::f"}]}],
            "the tensors are",
        ),
    ],
)
def test_mistakes_are_named(write, document, message):
    with pytest.raises(FunctionsError, match=message):
        load_functions(write(document), load_schemas())


def test_merge_and_select(write):
    schemas = load_schemas()
    fast = load_functions(write([entry("add.out", "torch::executor::opt_add_out")], "fast.yaml"), schemas)
    document = [entry("add.out", "torch::executor::add_out"), entry("mul.out", "torch::executor::mul_out")]
    portable = load_functions(write(document), schemas)
    merged = merge([fast, portable])
    assert [f.kernels[0].function.split("::")[-1] for f in merged] == ["opt_add_out", "mul_out"]
    assert [f.schema.full_name for f in select(merged, ["aten::mul.out"])] == ["aten::mul.out"]
    with pytest.raises(FunctionsError, match=r"aten::mm\.out"):
        select(merged, ["mm.out", "mul.out"])


def test_command_line(write, tmp_path, capsys):
    path = write([entry("add.out", "torch::executor::add_out"), entry("mul.out", "torch::executor::mul_out")])
    arguments = ["--functions", str(path), "--out-dir", str(tmp_path / "out"), "--header-prefix", "a/b"]
    assert gen.main([*arguments, "--ops", "aten::mul.out"]) == 0
    source = (tmp_path / "out" / "RegisterKernels.cc").read_text()
    assert '"aten::mul.out"' in source and "add" not in source
    assert "#include <a/b/NativeFunctions.h>" in source
    assert gen.main([*arguments, "--ops", "aten::mm.out"]) == 1
    assert "aten::mm.out" in capsys.readouterr().err


def test_portable_library_loads():
    path = Path(__file__).parent.parent / "portable" / "functions.yaml"
    functions = load_functions(path, load_schemas())
    assert len(functions) > 180
    assert all(f.kernels[0].keys == (None,) for f in functions)
