"""Programs whose parameters have no bytes, for stages that must not write them."""

import copy

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.export import ExportedProgram

from executorch.ir.clone import copy_graph_module, copy_signature, replace_parts
from executorch.ir.graph import fake_mode_of
from executorch.ir.torch_internals import with_parts


def get_fake_program(real_exported_program: ExportedProgram) -> ExportedProgram:
    """A program with its own graph and tables, fake parameters and buffers, and the constants of the real one."""
    mode = fake_mode_of(real_exported_program.graph.nodes) or FakeTensorMode()
    state = {
        name: mode.from_tensor(value, static_shapes=True) if isinstance(value, torch.Tensor) else value
        for name, value in real_exported_program.state_dict.items()
    }
    fake = replace_parts(
        real_exported_program,
        graph_module=copy_graph_module(real_exported_program.graph_module),
        signature=copy_signature(real_exported_program.graph_signature),
        state_dict=state,
    )
    # Whoever edits the fake program must not find that the real one has changed.
    tables = {
        "range_constraints": copy.copy(real_exported_program.range_constraints),
        "module_call_graph": list(real_exported_program.module_call_graph),
    }
    return with_parts(fake, tables)


def update_to_real_program(
    fake_exported_program: ExportedProgram, real_exported_program: ExportedProgram
) -> None:
    """Gives a fake program the parameters and buffers of the real one (in place).

    Raises:
        KeyError: it has one that the real program lacks.
    """
    for name in fake_exported_program.state_dict:
        fake_exported_program.state_dict[name] = real_exported_program.state_dict[name]
