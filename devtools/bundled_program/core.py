"""``BundledProgram``: joins a program with test cases after checking that they fit."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Sequence
from typing import Any

import torch

from executorch.devtools.bundled_program.config import ConfigValue, MethodTestCase, MethodTestSuite
from executorch.devtools.bundled_program.version import BUNDLED_PROGRAM_SCHEMA_VERSION
from executorch.emitter import deserialize_pte_binary
from executorch.exir import ExecutorchProgramManager
from executorch.exir.tensor import dim_order_from_stride, get_scalar_type, scalar_type_enum
from executorch.schema import bundled_program as schema
from executorch.schema.program import Bool, Double, EValue, ExecutionPlan, Int, Program, Tensor

#: What a value of the program is in Python.
supported_program_type_table: dict[type, type] = {
    Tensor: torch.Tensor,
    Int: int,
    Double: float,
    Bool: bool,
}


class BundledProgram:
    """A program with the test cases of its methods.

    Not every method needs test cases. Serialize it with
    :func:`executorch.devtools.bundled_program.serialize.serialize_from_bundled_program_to_flatbuffer`.
    """

    def __init__(
        self,
        executorch_program: ExecutorchProgramManager | Any | None,
        method_test_suites: Sequence[MethodTestSuite],
        pte_file_path: str | os.PathLike[str] | None = None,
    ) -> None:
        """Checks and joins.

        Args:
            executorch_program: What ``to_executorch()`` returned; None if ``pte_file_path`` is given.
            method_test_suites: Test cases by method.
            pte_file_path: A program file to take instead.

        Raises:
            AssertionError: A test case does not fit its method; the message says which value and why.
            RuntimeError: There is neither a program nor a file, or both.
        """
        if executorch_program is None and pte_file_path is None:
            raise RuntimeError("Either executorch_program or pte_file_path must be provided")
        if executorch_program is not None and pte_file_path is not None:
            raise RuntimeError("Only one of executorch_program and pte_file_path can be used, not both")
        self.executorch_program = executorch_program
        self.method_test_suites = method_test_suites
        self._pte_file_path = None if pte_file_path is None else pathlib.Path(pte_file_path)
        self._bundled_program_in_schema: schema.BundledProgram | None = None
        _assert_valid_bundle(self._extract_program(), method_test_suites)

    def serialize_to_schema(self) -> schema.BundledProgram:
        """The bundle as the objects of its file; suites are sorted by method. Made once."""
        if self._bundled_program_in_schema is None:
            suites = sorted(self.method_test_suites, key=lambda suite: suite.method_name)
            _assert_valid_bundle(self._extract_program(), suites)
            self._bundled_program_in_schema = schema.BundledProgram(
                version=BUNDLED_PROGRAM_SCHEMA_VERSION,
                method_test_suites=[
                    schema.BundledMethodTestSuite(
                        method_name=suite.method_name,
                        test_cases=[_emit_case(case) for case in suite.test_cases],
                    )
                    for suite in suites
                ],
                program=self._program_bytes(),
            )
        return self._bundled_program_in_schema

    def _program_bytes(self) -> bytes:
        if self._pte_file_path is not None:
            return self._pte_file_path.read_bytes()
        return bytes(self.executorch_program.buffer)  # type: ignore[union-attr]

    def _extract_program(self) -> Program:
        if self._pte_file_path is not None:
            return deserialize_pte_binary(self._pte_file_path.read_bytes()).program
        program = getattr(self.executorch_program, "executorch_program", None)
        if program is None:
            program = self.executorch_program.program  # type: ignore[union-attr]
        return program


def _emit_case(case: MethodTestCase) -> schema.BundledMethodTestCase:
    return schema.BundledMethodTestCase(
        inputs=[schema.Value(_emit(value)) for value in case.inputs],
        expected_outputs=[schema.Value(_emit(value)) for value in case.expected_outputs],
    )


def _emit(value: ConfigValue) -> schema.Tensor | schema.Int | schema.Bool | schema.Double:
    if isinstance(value, torch.Tensor):
        return _emit_tensor(value)
    # A bool is an int, so that it comes first.
    if isinstance(value, bool):
        return schema.Bool(value)
    if isinstance(value, int):
        return schema.Int(value)
    return schema.Double(value)


def _emit_tensor(tensor: torch.Tensor) -> schema.Tensor:
    tensor = tensor.detach().cpu()
    dense = _dense(tensor)
    # Dimensions from the outermost in memory to the innermost; then the elements lie in a row.
    order = list(dim_order_from_stride(dense.stride()))
    rows = dense.permute(order).contiguous().reshape(-1)
    return schema.Tensor(
        scalar_type=scalar_type_enum(tensor.dtype),
        sizes=list(tensor.size()),
        data=rows.view(torch.uint8).numpy().tobytes() if rows.numel() else b"",
        dim_order=order,
    )


def _dense(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor, or a contiguous copy if its elements do not fill its memory (a slice, an expanded tensor)."""
    sizes = sorted(
        (stride, size) for stride, size in zip(tensor.stride(), tensor.size(), strict=True) if size > 1
    )
    expected = 1
    for stride, size in sizes:
        if stride != expected:
            return tensor.contiguous()
        expected *= size
    return tensor if tensor.numel() > 1 else tensor.contiguous()


def _assert_valid_bundle(program: Program, suites: Sequence[MethodTestSuite]) -> None:
    plans = {plan.name: index for index, plan in enumerate(program.execution_plan)}
    unknown = {suite.method_name for suite in suites} - set(plans)
    if unknown:
        raise AssertionError(
            "All method names in bundled config should be found in program.execution_plan, "
            f"but {unknown} does not include. The program has {sorted(plans)}."
        )
    for suite in suites:
        index = plans[suite.method_name]
        for number, case in enumerate(suite.test_cases):
            _assert_case_fits(program.execution_plan[index], index, number, case)


def _assert_case_fits(plan: ExecutionPlan, plan_index: int, number: int, case: MethodTestCase) -> None:
    if len(case.inputs) != len(plan.inputs):
        raise AssertionError(
            "The number of input in each bundled set and Program shall equal, "
            f"but get {len(case.inputs)} and {len(plan.inputs)} (method '{plan.name}', test case {number})"
        )
    for position, value in enumerate(case.inputs):
        expected = plan.values[plan.inputs[position]]
        where = f"{position}-th input in {number}-th test set of {plan_index}-th execution plan"
        _assert_value_fits(value, expected, where, "input")
    if not case.expected_outputs:
        return
    if len(case.expected_outputs) != len(plan.outputs):
        raise AssertionError(
            "The number of expected output in each bundled set and Program shall equal, "
            f"but get {len(case.expected_outputs)} and {len(plan.outputs)} (method '{plan.name}', "
            f"test case {number})"
        )
    for position, value in enumerate(case.expected_outputs):
        expected = plan.values[plan.outputs[position]]
        where = f"{position}-th expected output in {number}-th test set of {plan_index}-th execution plan"
        _assert_value_fits(value, expected, where, "label")


def _assert_value_fits(value: ConfigValue, expected: EValue, where: str, role: str) -> None:
    wanted = supported_program_type_table.get(type(expected.val))
    is_tensor = isinstance(value, torch.Tensor)
    if wanted is None or (wanted is torch.Tensor) != is_tensor:
        raise AssertionError(
            f"The type {where} does not meet Program's requirement: expected {wanted} but get {type(value)}"
        )
    if isinstance(value, torch.Tensor):
        dtype = get_scalar_type(expected.val.scalar_type)  # type: ignore[union-attr]
        if value.dtype != dtype:
            raise AssertionError(
                f"The {role} tensor {value} dtype shall be {dtype}, but now is {value.dtype} ({where})"
            )
    elif type(value) is not wanted:
        raise AssertionError(
            f"The {role} primitive dtype shall be {wanted}, but now is {type(value)} ({where})"
        )


__all__ = ["BundledProgram", "supported_program_type_table"]
