"""The base of passes over a delegate's graph that need the program's constants too."""

from torch.export import ExportedProgram

from executorch.passes.infrastructure.export_pass import ExportPass


class XNNPACKPass(ExportPass):
    """A pass that is made with the program whose graph it will get, as ``self.exported_program``."""

    def __init__(self, exported_program: ExportedProgram) -> None:
        super().__init__()
        self._exported_program = exported_program

    @property
    def exported_program(self) -> ExportedProgram:
        return self._exported_program
