"""The command lines of the selective build."""

import json
from pathlib import Path

import pytest
import yaml

from executorch.codegen.tools import (
    combine_prim_ops_headers,
    gen_all_oplist,
    gen_max_kernel_num,
    gen_oplist,
    gen_ops_def,
    gen_selected_op_variants,
    gen_selected_prim_ops,
    merge_yaml,
)
from executorch.schema.program import (
    Chain,
    ContainerMetadata,
    EValue,
    ExecutionPlan,
    Instruction,
    Int,
    KernelCall,
    Operator,
    Program,
    Tensor,
    TensorList,
    write_program,
)


def selection(tmp_path, **sources):
    out = tmp_path / "selected.yaml"
    gen_oplist.gen_oplist(out, **sources)
    return yaml.safe_load(out.read_text())


@pytest.fixture
def model(tmp_path):
    """A program that calls cat.out with a list of tensors and a number."""
    values = [
        Tensor(scalar_type=6, sizes=[2, 2], dim_order=b"\x00\x01"),
        TensorList(items=[0, 0]),
        Int(int_val=1),
    ]
    plan = ExecutionPlan(
        name="forward",
        container_meta_type=ContainerMetadata(encoded_inp_str="", encoded_out_str=""),
        values=[EValue(val=value) for value in values],
        inputs=[0],
        outputs=[0],
        chains=[
            Chain(
                inputs=[],
                outputs=[],
                instructions=[Instruction(instr_args=KernelCall(op_index=0, args=[1, 2, 0, 0]))],
            )
        ],
        operators=[Operator(name="aten::cat", overload="out"), Operator(name="my::op", overload="")],
        delegates=[],
        non_const_buffer_sizes=[0],
    )
    path = tmp_path / "model.pte"
    path.write_bytes(write_program(Program(version=0, execution_plan=[plan])).tobytes())
    return str(path)


def test_a_list_of_names(tmp_path):
    document = selection(tmp_path, root_ops="aten::mm.out, aten::add.out")
    assert document["et_kernel_metadata"] == {"aten::add.out": ["default"], "aten::mm.out": ["default"]}
    assert document["operators"]["aten::mm.out"] == {
        "debug_info": ["None"],
        "include_all_overloads": False,
        "is_root_operator": True,
        "is_used_for_training": True,
    }
    assert not document["include_all_operators"]


def test_a_program(tmp_path, model):
    document = selection(tmp_path, model_file_path=model)
    assert document["et_kernel_metadata"] == {"aten::cat.out": ["v1/6;0,1|6;0,1|6;0,1"]}
    assert document["operators"]["my::op"]["debug_info"] == [model]


def test_names_with_keys(tmp_path):
    keyed = {"aten::add.out": ["v1/6;0,1|6;0,1", "Float", "default"]}
    document = selection(tmp_path, ops_dict=json.dumps(keyed))
    assert document["et_kernel_metadata"]["aten::add.out"] == ["default", "v1/6;", "v1/6;0,1|6;0,1"]
    with pytest.raises(Exception, match="Unknown dtype: Nothing"):
        selection(tmp_path, ops_dict='{"aten::add.out": ["Nothing"]}')


@pytest.mark.parametrize(
    "text", ["operators:\n  aten::mul.out: {}\n", "- aten::mul.out\n", "- kernels: []\n", "aten::mul.out"]
)
def test_a_yaml_of_another_kind_is_named_with_what_it_should_be(text, tmp_path):
    (tmp_path / "other.yaml").write_text(text)
    with pytest.raises(ValueError, match=r"other\.yaml is no list of operators: each entry is `- op: NAME`"):
        gen_oplist._get_et_kernel_metadata_from_ops_yaml(str(tmp_path / "other.yaml"))


@pytest.mark.parametrize("flag", ["model_file_path", "ops_schema_yaml_path"])
def test_a_file_that_is_not_there(tmp_path, flag):
    with pytest.raises(AssertionError, match=f"--{flag} needs to be a valid file, got nowhere"):
        selection(tmp_path, **{flag: "nowhere"})


def test_selections_are_joined(tmp_path):
    paths = []
    for name in ("aten::add.out", "aten::mul.out"):
        gen_oplist.main([f"--output_path={tmp_path / name[6:]}.yaml", f"--root_ops={name},aten::relu.out"])
        paths.append(f"{tmp_path / name[6:]}.yaml")
    listed = tmp_path / "list"
    listed.write_text("\n".join(paths))
    arguments = ["--model_file_list_path", f"@{listed}", "--output_dir", str(tmp_path / "all")]
    gen_all_oplist.main(arguments)
    joined = yaml.safe_load((tmp_path / "all" / "selected_operators.yaml").read_text())
    assert set(joined["operators"]) == {"aten::add.out", "aten::mul.out", "aten::relu.out"}
    with pytest.raises(Exception, match=r"Operator aten::relu\.out is used in 2 models"):
        gen_all_oplist.main([*arguments, "--check_ops_not_overlapping"])


def test_entries_for_a_library_to_write(tmp_path, model):
    gen_ops_def.main(["--output_path", str(tmp_path / "ops.yaml"), "--model_file_path", model])
    entries = yaml.safe_load((tmp_path / "ops.yaml").read_text())
    assert [entry["dispatch"]["CPU"] for entry in entries] == ["torch::executor::cat_out"]


def test_which_dtypes(tmp_path):
    path = tmp_path / "selected.yaml"
    path.write_text(yaml.safe_dump({"et_kernel_metadata": {"aten::add.out": ["v1/6;0,1|3;0"], "my::op": []}}))
    gen_selected_op_variants.write_selected_op_variants(str(path), str(tmp_path))
    text = (tmp_path / "selected_op_variants.h").read_text()
    assert 'compare("add.out") == 0' in text
    assert "ScalarType::Float || scalar_type == executorch::aten::ScalarType::Int))" in text
    assert 'compare("my::op") == 0)\n        && (true)' in text


def test_prim_operators(tmp_path):
    for directory, names in (("a", ["aten::sym_size.int"]), ("b", ["executorch_prim::et_view.default"])):
        gen_selected_prim_ops.write_selected_prim_ops(names, str(tmp_path / directory))
    out = tmp_path / "both.h"
    combine_prim_ops_headers.combine_prim_ops_headers([str(tmp_path / "a"), str(tmp_path / "b")], str(out))
    lines = out.read_text().splitlines()
    assert lines[-2:] == [
        "#define INCLUDE_ATEN_SYM_SIZE_INT",
        "#define INCLUDE_EXECUTORCH_PRIM_ET_VIEW_DEFAULT",
    ]
    combine_prim_ops_headers.combine_prim_ops_headers([], str(out))
    assert "Selective build is disabled" in out.read_text()


def test_the_first_file_wins(tmp_path):
    (tmp_path / "a.yaml").write_text("- op: add.out\n  kernels: [{kernel_name: a}]\n")
    (tmp_path / "b.yaml").write_text(
        "- op: add.out\n  kernels: [{kernel_name: b}]\n- op: mul.out\n  kernels: [{kernel_name: b}]\n"
    )
    merge_yaml.merge(str(tmp_path / "a.yaml"), str(tmp_path / "b.yaml"), str(tmp_path))
    text = (tmp_path / "merged.yaml").read_text()
    assert [entry["kernels"][0]["kernel_name"] for entry in yaml.safe_load(text)] == ["a", "b"]
    assert "\n\n- op: mul.out" in text


def test_the_size_of_the_registry(tmp_path):
    source = tmp_path / "prim_ops.cpp"
    source.write_text('static Kernel prim_ops[] = {\n  Kernel("a::b", f),\n  Kernel("a::c", g),\n};\n')
    selected = tmp_path / "selected.yaml"
    selected.write_text(
        yaml.safe_dump({"operators": {"x": {}, "y": {}}, "et_kernel_metadata": {"x": ["v1/6;0", "v1/7;0"]}})
    )
    out = tmp_path / "max.h"
    assert gen_max_kernel_num.gen_max_kernel_num([selected], source, out) == 5
    assert "#define EXECUTORCH_SELECTED_MAX_KERNEL_NUM 5\n" in out.read_text()
    selected.write_text("include_all_operators: true\n")
    assert gen_max_kernel_num.gen_max_kernel_num([selected], source, out) is None
    assert "#define" not in out.read_text()
    Path(source).write_text("int nothing;\n")
    selected.write_text("{}")
    with pytest.raises(RuntimeError, match="Failed to locate"):
        gen_max_kernel_num.gen_max_kernel_num([selected], source, out)
