"""Programs as modules that hold their parameters and buffers themselves."""

from torch.export import ExportedProgram
from torch.fx import GraphModule


def unlift_exported_program_lifted_states(ep: ExportedProgram) -> GraphModule:
    """The graph of a program with its state as attributes; called with the user's inputs, it writes its buffers."""
    module = ep.module(check_guards=False)
    assert isinstance(module, GraphModule)
    return module
