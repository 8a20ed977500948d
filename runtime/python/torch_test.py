"""`executorch.runtime` with torch tensors: no copies where the layout permits, the same numbers where not."""

from __future__ import annotations

import gc

import numpy as np
import pytest
import torch

from executorch.runtime import InputTypeError, InvalidInputError, Method, Runtime
from executorch.runtime.python.programs_for_tests import AddProgram
from executorch.schema.scalar_type import ScalarType

A = torch.arange(6, dtype=torch.float32).reshape(2, 3)
B = torch.full((2, 3), 10.0)


def load(**arguments: object) -> Method:
    return Runtime.get().load_program(AddProgram(**arguments).build()).load_method("forward")  # type: ignore[arg-type]


@pytest.mark.parametrize("planned", [True, False])
def test_results_are_torch_tensors(planned: bool) -> None:
    method = load(plan_inputs=planned, plan_outputs=planned)
    for inputs in ([A, B], (A, B), [A.numpy(), B], [A.numpy(), B.numpy()]):
        (output,) = method.execute(inputs)
        assert type(output) is torch.Tensor
        assert output.dtype == torch.float32 and not output.requires_grad
        assert torch.equal(output, A + B)


@pytest.mark.parametrize(
    "dtype, torch_type",
    [
        (ScalarType.BYTE, torch.uint8),
        (ScalarType.CHAR, torch.int8),
        (ScalarType.SHORT, torch.int16),
        (ScalarType.INT, torch.int32),
        (ScalarType.LONG, torch.int64),
        (ScalarType.HALF, torch.float16),
        (ScalarType.BFLOAT16, torch.bfloat16),
        (ScalarType.FLOAT, torch.float32),
        (ScalarType.DOUBLE, torch.float64),
    ],
)
def test_dtypes(dtype: ScalarType, torch_type: torch.dtype) -> None:
    a, b = A.to(torch_type), B.to(torch_type)
    (output,) = load(dtype=dtype).execute([a, b])
    assert output.dtype == torch_type
    assert torch.equal(output, a + b)


def test_parameters_and_subclasses_are_tensors_too() -> None:
    method = load()
    parameter = torch.nn.Parameter(A.clone())
    assert torch.equal(method.execute([parameter, B])[0], A + B)
    with torch.inference_mode():
        assert torch.equal(method.execute([A + 0, B])[0], A + B)


@pytest.mark.parametrize("planned", [True, False])
@pytest.mark.parametrize("dim_order", [[0, 1], [1, 0]])
def test_any_layout_of_the_input_means_the_same(planned: bool, dim_order: list[int]) -> None:
    method = load(dim_order=dim_order, plan_inputs=planned, plan_outputs=planned)
    wide = torch.zeros(4, 6)
    wide[::2, ::2] = A
    for a in (A, A.t().contiguous().t(), wide[::2, ::2], A[:1].expand(2, 3), A[:, :1].expand(2, 3)):
        (output,) = method.execute([a, B])
        assert torch.equal(output, a + B)
        assert output.stride() == ((3, 1) if dim_order == [0, 1] else (1, 2))


def test_channels_last_images() -> None:
    image = torch.arange(2 * 3 * 4 * 5, dtype=torch.float32).reshape(2, 3, 4, 5)
    for dim_order in ([0, 1, 2, 3], [0, 2, 3, 1]):
        method = load(sizes=[2, 3, 4, 5], dim_order=dim_order)
        for a in (image, image.to(memory_format=torch.channels_last)):
            (output,) = method.execute([a, image])
            assert torch.equal(output, 2 * image)
            last = dim_order == [0, 2, 3, 1]
            assert output.is_contiguous(
                memory_format=torch.channels_last if last else torch.contiguous_format
            )


def test_unplanned_outputs_are_not_copied() -> None:
    method = load(plan_inputs=False, plan_outputs=False)
    (first,) = method.execute([A, B])
    (second,) = method.execute([A, B])
    assert first.data_ptr() != second.data_ptr()
    assert first.data_ptr() % 64 == 0


def test_outputs_survive_everything() -> None:
    method = load()
    (copy,) = method.execute([A, B])
    (view,) = method.execute([A, A], clone_outputs=False)
    del method
    gc.collect()
    junk = [torch.full((1000,), float("nan")) for _ in range(100)]
    assert torch.equal(copy, A + B) and torch.equal(view, A + A)
    view.add_(1)
    del junk, view


def test_unusable_tensors_say_why() -> None:
    method = load()
    with pytest.raises(
        InputTypeError, match=r"input 0 .*on device meta, not in memory .*only CPU and CUDA tensors"
    ):
        method.execute([torch.ones(2, 3, device="meta"), B])
    with pytest.raises(InputTypeError, match=r"input 1 .*cannot be read"):
        method.execute([A, torch.ones(2, 3).to_sparse()])
    with pytest.raises(InvalidInputError, match=r"found complex64\[2, 3\]"):
        method.execute([A + 1j, B])
    with pytest.raises(InputTypeError, match="list of inputs, not a single Tensor"):
        method.execute(A)  # type: ignore[arg-type]
    assert torch.equal(method.execute([A, B])[0], A + B)


def test_numpy_is_the_same_memory() -> None:
    (output,) = load().execute([A, B])
    array = output.numpy()
    array[0, 0] = -1
    assert output[0, 0] == -1 and isinstance(array, np.ndarray)
