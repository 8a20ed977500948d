"""Example arguments have the types that are asked for, and running operators finds the combinations they take."""

import pytest
import torch

from executorch.dialects.dtype_rows import aliases_of, gathered
from executorch.dialects.dtype_runner import SAMPLE_INPUT, DtypeRunner, extract_return_dtype
from executorch.dialects.sample_args import ArgMode, ArgType, InArg, InKwarg, Return


@pytest.mark.parametrize("dtype", [torch.float32, torch.int64, torch.bool, torch.uint8])
def test_arguments_have_any_type(dtype):
    tensor = InArg(ArgType.Tensor, size=[3], fill=2)
    assert torch.equal(tensor.get_val_with_dtype(dtype), torch.full((3,), 2, dtype=dtype))
    several = InArg(ArgType.TensorList, value=[tensor, tensor])
    assert [item.dtype for item in several.get_val_with_dtype(dtype)] == [dtype, dtype]
    assert InArg(ArgType.ScalarType).get_val_with_dtype(dtype) is dtype
    assert InArg(ArgType.ScalarOpt, value=1).get_val_with_dtype(None) is None
    assert type(InArg(ArgType.Scalar, value=1).get_val_with_dtype(dtype)) is type(
        torch.ones((), dtype=dtype).item()
    )


def test_random_values_keep_their_promises():
    torch.manual_seed(0)
    for options, holds in (
        ({"nonneg": True}, lambda value: bool((value >= 0).all())),
        ({"nonzero": True}, lambda value: bool((value != 0).all())),
        ({"bounded": True}, lambda value: bool((value.abs() <= 1).all())),
    ):
        arg = InArg(ArgType.Tensor, size=[500], **options)
        arg.mode = ArgMode.RANDOM
        assert all(holds(arg.get_val_with_dtype(dtype)) for dtype in (torch.float32, torch.int32))


def test_results_are_compared_and_become_out_arguments():
    result = Return(ArgType.Tensor, size=[2], value=[1, 2])
    assert result.is_expected(torch.tensor([1.0, 2.0])) and not result.is_expected(torch.ones(2))
    assert not result.is_expected(torch.tensor([1, 2])) and result.to_out(name="out").out
    with pytest.raises(NotImplementedError):
        result.is_expected(3)
    with pytest.raises(ValueError):
        InArg(ArgType.Param).get_val_with_dtype(torch.int64)


def test_every_combination_is_run():
    inputs = {
        "args": [InArg(ArgType.Tensor), InKwarg(ArgType.ScalarTypeOpt, "dtype")],
        "returns": [Return(ArgType.Tensor)],
    }
    runner = DtypeRunner()
    found = runner.run("sum.default", inputs)
    assert len(found) == len(runner.tensor_dtypes) * (len(runner.tensor_dtypes) + 1)
    assert (True, (torch.int8, None, torch.int64)) in [(result[0], result[2]) for result in found]
    refused = runner.run_dtypes(
        "matmul.default", {**inputs, "args": [InArg(ArgType.Tensor)] * 2}, (torch.int8, torch.float32)
    )
    assert refused[0] is False and refused[2] == (torch.int8, torch.float32)


def test_results_of_several_kinds():
    one, many = Return(ArgType.Tensor), Return(ArgType.TensorList)
    assert extract_return_dtype(torch.ones(1), [one]) == [torch.float32]
    assert extract_return_dtype((torch.ones(1), torch.ones(1).int()), [one, one]) == [
        torch.float32,
        torch.int32,
    ]
    assert extract_return_dtype([torch.ones(1), torch.ones(1)], [many]) == [torch.float32]


def test_examples_run_in_float():
    for name in ("add.Tensor", "cat.default", "native_layer_norm.default", "embedding.default"):
        inputs = SAMPLE_INPUT[name]
        dtypes = tuple(
            torch.int64 if name.startswith("embedding") and index == 1 else torch.float32
            for index, arg in enumerate(arg for arg in inputs["args"] if arg.type.has_dtype())
        )
        assert DtypeRunner().run_dtypes(name, inputs, dtypes, ArgMode.ONES)[0], name


def test_combinations_are_gathered_as_released_tables_do():
    rows = gathered({("Float", "Float"), ("Double", "Double"), ("Int", "Float"), ("Long", "Float")})
    assert rows == [(("Double",), ("Double",)), (("Float", "Int", "Long"), ("Float",))]
    assert gathered({("D", "D"), ("F", "F")}) == [(("D", "F"), ("D", "F"))]
    assert aliases_of(rows) == [("Double",), ("Float",), ("Float", "Int", "Long")]
    assert gathered({("F",)}) == [(("F",),)] and gathered(set()) == []
