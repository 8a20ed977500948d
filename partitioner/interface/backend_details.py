"""What a backend vendor implements ahead of time: ``BackendDetails`` and the result of its ``preprocess``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from torch.export import ExportedProgram

from executorch.ir.clone import clone_program
from executorch.partitioner.interface.backend_registry import register_backend
from executorch.partitioner.interface.compile_spec import CompileSpec
from executorch.partitioner.interface.named_data_store import NamedDataStoreOutput

#: Identifier of a delegated operation (chosen by the backend) -> debug handles of the edge nodes inside it.
DebugHandleMap = Mapping[Any, Sequence[int]]


@dataclass
class PreprocessResult:
    """What a backend made of one subgraph.

    Attributes:
        processed_bytes: the blob that the backend's run-time ``init`` receives, written to the ``.pte`` as is.
        debug_handle_map: which edge nodes stand behind each identifier that the backend reports when it is
            profiled; None when the backend reports nothing.
        data_store_output: data that is stored beside the blob under a key and shared by key between
            subgraphs and methods; None when the blob holds everything.
        _delegate_info_meta: anything the backend wants to hand to its own tools; never serialized.
    """

    processed_bytes: bytes = b""
    debug_handle_map: DebugHandleMap | None = None
    data_store_output: NamedDataStoreOutput | None = None
    _delegate_info_meta: Any | None = None


class BackendDetails(ABC):
    """Base class of an ahead-of-time backend. It is never instantiated; its class name is its backend id.

    Deriving from it registers the class, so ``to_backend`` finds it by name as soon as its module has been
    imported; a backend that is installed as a package can be found without an import (see
    ``backend_lookup``).

    Attributes:
        read_ahead: bytes behind the end of an input that a delegate of this backend may read, for which memory planning
            leaves room; None where a backend does not say, which counts as a few vectors.
    """

    read_ahead: ClassVar[int | None] = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        register_backend(cls)

    @classmethod
    def copy_exported_program_for_preprocess(
        cls, edge_program: ExportedProgram, compile_specs: list[CompileSpec]
    ) -> ExportedProgram:
        """The program that ``preprocess`` receives: by default one with its own graph and the same tensors.

        A backend that changes tensors too returns ``copy.deepcopy(edge_program)``; one that changes nothing may
        return the program itself.
        """
        return clone_program(edge_program)

    @staticmethod
    @abstractmethod
    def preprocess(edge_program: ExportedProgram, compile_specs: list[CompileSpec]) -> PreprocessResult:
        """Compiles one subgraph to bytes.

        Args:
            edge_program: the subgraph as an edge program. Constants that the partitioner tagged are in its
                ``state_dict`` / ``constants``; everything else arrives as an input at run time, in the order
                of the user inputs. Belongs to the callee, which may change its graph, but not the tensors.
            compile_specs: the options of the ``DelegationSpec``, which the run-time ``init`` sees as well, but for
                each ``PreprocessOnlySpec``.
        """

    @classmethod
    def preprocess_multimethod(
        cls,
        edge_programs: dict[str, list[ExportedProgram]],
        compile_specs: dict[str, list[list[CompileSpec]]],
    ) -> dict[str, list[PreprocessResult]]:
        """Compiles every subgraph of every method in one call, so that a backend can share between them.

        Args:
            edge_programs: method name -> its subgraphs, in the order of execution.
            compile_specs: method name -> one list of options per subgraph, in the same order.

        Returns:
            method name -> one result per subgraph, in the same order. This default calls ``preprocess`` for
            each.
        """
        for method, programs in edge_programs.items():
            given = len(compile_specs.get(method, ()))
            if given != len(programs):
                raise ValueError(
                    f"method {method!r} has {len(programs)} subgraphs but {given} lists of compile specs"
                )
        return {
            method: [
                cls.preprocess(program, specs)
                for program, specs in zip(programs, compile_specs[method], strict=True)
            ]
            for method, programs in edge_programs.items()
        }
