"""What users of the published package suffer does not happen here: one test for each known complaint.

Programs are exported from eager models, and run through ``executorch.runtime`` and through ``portable_lib``.
"""

from __future__ import annotations

import gc
import pathlib
import threading
import time
from typing import Any

import numpy as np
import pytest
import torch

from executorch.exir import ExecutorchBackendConfig, to_edge
from executorch.extension.pybindings import portable_lib
from executorch.runtime import ExecuTorchError, InvalidInputError, MethodNotFoundError, Runtime
from executorch.runtime.python.programs_for_tests import AddProgram


def export(module: torch.nn.Module, inputs: tuple[Any, ...], **arguments: Any) -> bytes:
    program = torch.export.export(module.eval(), inputs, **arguments)
    return to_edge(program).to_executorch(ExecutorchBackendConfig()).buffer


class Function(torch.nn.Module):
    def __init__(self, function: Any) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: Any) -> Any:
        return self.function(*inputs)


def runners(program: bytes) -> list[Any]:
    """The three ways to run ``forward``."""
    return [
        Runtime.get().load_program(program).load_method("forward").execute,
        portable_lib._load_for_executorch_from_buffer(program).forward,
        portable_lib._load_program_from_buffer(program).load_method("forward"),
    ]


IMAGE = torch.randn(2, 3, 4, 5)


@pytest.mark.parametrize("exported_as", [torch.contiguous_format, torch.channels_last])
@pytest.mark.parametrize("given_as", [torch.contiguous_format, torch.channels_last])
def test_memory_formats_are_converted_never_reinterpreted(
    exported_as: torch.memory_format, given_as: torch.memory_format
) -> None:
    for function in (torch.relu, lambda x: x * 2 + 1):
        model = Function(function)
        program = export(model, (IMAGE.contiguous(memory_format=exported_as),))
        for run in runners(program):
            (output,) = run([IMAGE.contiguous(memory_format=given_as)])
            torch.testing.assert_close(output, function(IMAGE))


def test_batch_normalization_of_channels_last_images() -> None:
    model = torch.nn.BatchNorm2d(3)
    program = export(model, (IMAGE,))
    for run in runners(program):
        (output,) = run([IMAGE.contiguous(memory_format=torch.channels_last)])
        torch.testing.assert_close(output, model(IMAGE), check_stride=False)


def test_an_operator_without_kernel_is_named() -> None:
    program = AddProgram(operator=("aten::no_such_operator", "out")).build()
    with pytest.raises(ExecuTorchError, match=r"aten::no_such_operator\.out"):
        Runtime.get().load_program(program).load_method("forward")


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        (
            [torch.ones(4, 8), torch.ones(8, 8)],
            r"input 0 .*expected a tensor float32\[8, 8\].*found float32\[4, 8\]",
        ),
        (
            [torch.ones(8, 8), torch.ones(8, 8).int()],
            r"input 1 .*expected a tensor float32.*found int32\[8, 8\]",
        ),
        ([torch.ones(8), torch.ones(8, 8)], r"input 0 .*found float32\[8\]"),
        ([torch.ones(8, 8), None], r"input 1 .*expected a tensor float32\[8, 8\], found None"),
        ([torch.ones(8, 8)], r"expected 2 input\(s\), found 1"),
        ([torch.ones(8, 8)] * 3, r"expected 2 input\(s\), found 3"),
    ],
)
def test_wrong_inputs_are_named(inputs: list[Any], expected: str) -> None:
    program = export(Function(torch.add), (torch.ones(8, 8), torch.ones(8, 8)))
    for run in runners(program):
        with pytest.raises(ExecuTorchError, match=expected):
            run(inputs)


def test_an_index_out_of_range_is_said() -> None:
    program = export(
        Function(lambda x, at: torch.index_select(x, 0, at)), (torch.ones(3, 2), torch.tensor([0, 2]))
    )
    for run in runners(program):
        with pytest.raises(ExecuTorchError, match="an index is out of range"):
            run([torch.ones(3, 2), torch.tensor([0, 5])])
        # The method still works afterwards.
        assert run([torch.ones(3, 2), torch.tensor([0, 1])])[0].shape == (2, 2)


def test_a_size_over_its_bound_is_said() -> None:
    rows = torch.export.Dim("rows", min=1, max=8)
    program = export(
        Function(lambda x: x.sum(1)), (torch.ones(4, 3),), dynamic_shapes={"inputs": ({0: rows},)}
    )
    for run in runners(program):
        with pytest.raises(InvalidInputError, match=r"input 0 .*found float32\[9, 3\]"):
            run([torch.ones(9, 3)])


def test_missing_external_data_are_asked_for(tmp_path: pathlib.Path) -> None:
    program = AddProgram(external=True).build()
    for load in (
        lambda: Runtime.get().load_program(program).load_method("forward"),
        lambda: portable_lib._load_for_executorch_from_buffer(program).forward([np.ones((2, 3), np.float32)]),
    ):
        with pytest.raises(ExecuTorchError, match=r"\.ptd file as data_path"):
            load()
    with pytest.raises(FileNotFoundError, match=r"weights\.ptd"):
        Runtime.get().load_program(program, data_path=tmp_path / "weights.ptd")


def test_a_missing_method_names_those_that_exist() -> None:
    program = AddProgram(methods=["forward", "encode"]).build()
    for find in (
        Runtime.get().load_program(program).load_method,
        Runtime.get().load_program(program).metadata,
        portable_lib._load_for_executorch_from_buffer(program).run_method,
        portable_lib._load_program_from_buffer(program).load_method,
    ):
        with pytest.raises(MethodNotFoundError, match=r"'decode'(.|\n)*'forward', 'encode'"):
            find("decode")


def test_outputs_outlive_the_module() -> None:
    program = export(Function(lambda x: x + x), (torch.ones(1000, 1000),))
    for clone in (True, False):
        module = portable_lib._load_for_executorch_from_buffer(program)
        (output,) = module.forward([torch.ones(1000, 1000)], clone_outputs=clone)
        del module
        gc.collect()
        # Whoever gets the memory that is free now writes over it.
        _ = [torch.full((1000, 1000), 5.4e19) for _ in range(4)]
        assert torch.equal(output, torch.full((1000, 1000), 2.0))


def test_arrays_of_numpy_are_inputs() -> None:
    program = export(Function(torch.mul), (torch.ones(2, 3), torch.ones(2, 3)))
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    for run in runners(program):
        assert np.array_equal(np.asarray(run([x, torch.ones(2, 3)])[0]), x)


def test_other_threads_go_on_while_a_method_runs() -> None:
    program = export(Function(torch.mm), (torch.ones(400, 400), torch.ones(400, 400)))
    method = Runtime.get().load_program(program).load_method("forward")
    x = torch.ones(400, 400)
    ticks: list[float] = []
    done = threading.Event()

    def tick() -> None:
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.0005)

    thread = threading.Thread(target=tick)
    thread.start()
    begin = time.perf_counter()
    while time.perf_counter() - begin < 0.3:
        start = time.perf_counter()
        method.execute([x, x])
        end = time.perf_counter()
        if sum(start < at < end for at in ticks) >= 2:
            break
    done.set()
    thread.join()
    assert sum(start < at < end for at in ticks) >= 2


def test_truncated_programs_are_refused() -> None:
    program = export(Function(torch.add), (torch.ones(2), torch.ones(2)))
    for size in range(0, len(program), 37):
        with pytest.raises(ExecuTorchError):
            Runtime.get().load_program(program[:size]).load_method("forward")


def test_a_full_debug_buffer_ends_nothing() -> None:
    program = export(Function(torch.add), (torch.ones(2), torch.ones(2)))
    module = portable_lib._load_for_executorch_from_buffer(program, enable_etdump=True, debug_buffer_size=32)
    for _ in range(5):
        assert module.forward([torch.ones(2), torch.ones(2)])[0].tolist() == [2, 2]


def test_bytes_that_are_no_bundle_are_refused() -> None:
    for data in (b"", b"abc", b"\0" * 100, AddProgram().build()):
        with pytest.raises(ExecuTorchError):
            portable_lib._load_bundled_program_from_buffer(data)
