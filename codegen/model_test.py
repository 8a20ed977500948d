"""Keys, the index of kernels, and the reading of yaml."""

import pytest
import yaml
from torchgen.model import BackendMetadata, DispatchKey, OperatorName

from executorch.codegen.model import ETKernelIndex, ETKernelKey, ETKernelKeyOpArgMeta
from executorch.codegen.parse import (
    extract_kernel_fields,
    parse_et_yaml_struct,
    parse_from_yaml,
    strip_et_fields,
)

ADD = OperatorName.parse("add.out")
DEFAULT = ETKernelKey(default=True)


def metadata(kernel):
    return BackendMetadata(kernel, structured=False, cpp_namespace="at::native")


def test_keys_are_spelled_as_the_runtime_spells_them():
    key = ETKernelKey(
        (ETKernelKeyOpArgMeta("self", "Float", (0, 1)), ETKernelKeyOpArgMeta("out", "Int", (0,)))
    )
    assert key.to_native_string() == "v1/6;0,1|3;0"
    assert DEFAULT.to_native_string() == "default"


def test_one_key_for_each_combination_of_aliases():
    keys = ETKernelKey.gen_from_yaml(
        {"self": ("T0", "D0"), "other": ("T0", "D0"), "out": ("T1", "D0")},
        {"T0": ["Float", "Double"], "T1": ["Int", "Bool"]},
        {"D0": [0, 1]},
    )
    assert [key.to_native_string() for key in keys] == [
        "v1/6;0,1|6;0,1|3;0,1",
        "v1/7;0,1|7;0,1|3;0,1",
        "v1/6;0,1|6;0,1|11;0,1",
        "v1/7;0,1|7;0,1|11;0,1",
    ]


@pytest.mark.parametrize(
    ("argument", "message"),
    [(("T9", "D0"), "Undefined type alias: T9"), (("T0", "D9"), "Undefined dim_order alias: D9")],
)
def test_an_alias_that_is_nowhere_is_named(argument, message):
    with pytest.raises(AssertionError, match=message):
        ETKernelKey.gen_from_yaml({"self": argument}, {"T0": ["Float"]}, {"D0": [0]})


def test_an_index_grows_and_merges():
    mine = ETKernelIndex.from_backend_indices({DispatchKey.CPU: {ADD: metadata("mine")}})
    other = ETKernelIndex({ADD: {DEFAULT: metadata("other")}})
    merged = ETKernelIndex.merge_indices(mine, other)
    assert merged.index[ADD][DEFAULT].kernel == "other"
    assert mine.index[ADD][DEFAULT].kernel == "mine"
    assert other.grow({DispatchKey.CPU: {ADD: metadata("third")}}) is other
    assert other._to_backend_index().index[ADD].kernel == "third"


ENTRIES = """
- op: add.out
  type_alias: {T0: [Float, Double]}
  dim_order_alias: {D0: [0, 1]}
  kernels:
    - arg_meta: null
      kernel_name: torch::executor::add_out
    - arg_meta: {self: [T0, D0], out: [T0, D0]}
      kernel_name: fast_add_out
- func: custom::mul.out(Tensor a, *, Tensor(a!) out) -> Tensor(a!)
  kernels:
    - kernel_name: custom::mul_out
"""


def test_entries_become_an_index():
    index = parse_et_yaml_struct(yaml.safe_load(ENTRIES)).index
    found = {key.to_native_string(): (m.cpp_namespace, m.kernel) for key, m in index[ADD].items()}
    assert found == {
        "default": ("torch::executor::native", "add_out"),
        "v1/6;0,1|6;0,1": ("at::native", "fast_add_out"),
        "v1/7;0,1|7;0,1": ("at::native", "fast_add_out"),
    }
    assert index[OperatorName.parse("mul.out")][DEFAULT].cpp_namespace == "custom::native"


def test_fields_that_pytorch_does_not_know_come_out():
    entries = yaml.safe_load(ENTRIES)
    assert set(extract_kernel_fields(entries)[ADD]) == {"kernels", "type_alias", "dim_order_alias"}
    strip_et_fields(entries)
    assert [set(entry) for entry in entries] == [{"op"}, {"func"}]


def test_two_kernels_for_one_key_are_an_error():
    entry = {"kernels": [{"kernel_name": "a"}, {"kernel_name": "b"}]}
    with pytest.raises(AssertionError, match="Duplicate kernel key: default is for a and for b"):
        parse_from_yaml(entry)
