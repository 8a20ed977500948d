"""Which operators a program calls, with which dtypes and dim orders."""

from __future__ import annotations

from collections import defaultdict

from executorch.schema.program import KernelCall, Program, Tensor, read_program


def kernel_key(program: Program, plan: int, call: KernelCall) -> str:
    """The registry key of a call: dtype and dim order of each tensor among its arguments.

    Lists of tensors have no part in a key.
    """
    values = program.execution_plan[plan].values
    groups = []
    for index in call.args:
        value = values[index].val
        if isinstance(value, Tensor):
            order = ",".join(str(dim) for dim in bytes(value.dim_order))
            groups.append(f"{int(value.scalar_type)};{order}")
    return "v1/" + "|".join(groups)


def operators_of(data: bytes) -> dict[str, set[str]]:
    """Registry names of the operators of all methods of a `.pte` file, each with the keys of its calls.

    Operators that a plan lists but no instruction calls have no keys. What a delegate does inside is its own.

    Raises:
        FormatError: if the data are not a program.
    """
    program = read_program(data)
    found: dict[str, set[str]] = defaultdict(set)
    for index, plan in enumerate(program.execution_plan):
        names = [op.name + (f".{op.overload}" if op.overload else "") for op in plan.operators]
        for name in names:
            found[name]
        for chain in plan.chains:
            for instruction in chain.instructions:
                call = instruction.instr_args
                if isinstance(call, KernelCall):
                    # The last argument stands for what the call returns.
                    call = KernelCall(op_index=call.op_index, args=list(call.args)[:-1])
                    found[names[call.op_index]].add(kernel_key(program, index, call))
    return dict(found)
