"""The result of handing a subgraph to a backend: a module that stands for the delegate."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import torch
from torch.export import ExportedProgram, ModuleCallEntry, ModuleCallSignature
from torch.export.graph_signature import (
    ArgumentSpec,
    ExportGraphSignature,
    InputKind,
    InputSpec,
    OutputKind,
    OutputSpec,
)

from executorch.dialects import meta_keys
from executorch.partitioner.extraction.submodule_program import argument_spec
from executorch.partitioner.interface.call_delegate import executorch_call_delegate, is_lowered_module
from executorch.partitioner.interface.compile_spec import CompileSpec
from executorch.partitioner.interface.errors import DelegationError
from executorch.partitioner.interface.named_data_store import NamedDataStoreOutput


class EmittedProgram(Protocol):
    """What an emission hook returns: the program as data and as bytes."""

    @property
    def buffer(self) -> bytes: ...

    @property
    def program(self) -> Any: ...


#: Turns a program that holds only a delegate call into its executable form; the keyword arguments are those
#: of ``LoweredBackendModule.buffer`` and ``.program`` that the caller gave.
EmissionHook = Callable[..., EmittedProgram]

_emission_hook: EmissionHook | None = None


def set_emission_hook(hook: EmissionHook) -> None:
    """Installs what ``LoweredBackendModule.buffer`` and ``.program`` use.

    This library stands below the emitter and cannot name it; the front door installs the hook when imported.
    """
    global _emission_hook
    _emission_hook = hook


def emit_program(program: ExportedProgram, **options: Any) -> EmittedProgram:
    """An edge program in its executable form, made by the hook; a backend may put one into its blob.

    Raises:
        DelegationError: nothing that emits programs has been imported.
    """
    if _emission_hook is None:
        raise DelegationError(
            "the program cannot be written: nothing that emits programs has been imported. Way out: "
            "`import executorch.exir` (or call set_emission_hook)."
        )
    return _emission_hook(program, **options)


class LoweredBackendModule(torch.nn.Module):
    """A subgraph that a backend has compiled; call it, export it inside other modules, or emit it alone.

    Called in Python it computes what the original subgraph computes (backends themselves run only in the
    runtime). ``meta`` is free for the stages after it; ``meta["debug_handle_map"]`` is what ``preprocess``
    returned.

    Args:
        edge_program: the subgraph, as it was handed to the backend.
        backend_id: name of the backend, ahead of time and at run time.
        processed_bytes: the backend's blob.
        compile_specs: options, given to the run-time ``init``.
        named_data_store_output: data that the blob refers to by key.
    """

    def __init__(
        self,
        edge_program: ExportedProgram,
        backend_id: str,
        processed_bytes: bytes,
        compile_specs: list[CompileSpec],
        named_data_store_output: NamedDataStoreOutput | None = None,
    ) -> None:
        super().__init__()
        self._original_exported_program = edge_program
        self._backend_id = backend_id
        self._processed_bytes = processed_bytes
        self._compile_specs = list(compile_specs)
        self._named_data_store_output = named_data_store_output
        self.meta: dict[str, Any] = {}

    @property
    def backend_id(self) -> str:
        return self._backend_id

    @property
    def processed_bytes(self) -> bytes:
        return self._processed_bytes

    @property
    def compile_specs(self) -> list[CompileSpec]:
        return self._compile_specs

    @property
    def original_module(self) -> ExportedProgram:
        """The subgraph that the backend compiled."""
        return self._original_exported_program

    @property
    def named_data_store_output(self) -> NamedDataStoreOutput | None:
        return self._named_data_store_output

    def __deepcopy__(self, memo: dict[int, Any] | None) -> LoweredBackendModule:
        # Nothing in here is changed after construction but `meta`, so copies share program and bytes: a graph
        # holding megabytes of compiled weights stays cheap to copy.
        copied = LoweredBackendModule(
            self._original_exported_program,
            self._backend_id,
            self._processed_bytes,
            self._compile_specs,
            self._named_data_store_output,
        )
        copied.meta = dict(self.meta)
        return copied

    def forward(self, *args: Any) -> Any:
        return executorch_call_delegate(self, *args)

    def exported_program(self) -> ExportedProgram:
        """A program that does nothing but call this delegate, with the subgraph's inputs and outputs."""
        return _wrap(self)

    def program(self, **options: Any) -> Any:
        """The schema ``Program`` of ``exported_program()``; options are passed to the emitter."""
        return self._emit(options).program

    def buffer(self, **options: Any) -> bytes:
        """Bytes of a ``.pte`` whose ``forward`` calls this delegate alone; options are passed to the emitter.

        Known options: ``extract_delegate_segments`` (bool), ``segment_alignment``,
        ``constant_tensor_alignment``, ``delegate_alignment`` (bytes), ``memory_planning`` (a pass).
        """
        return bytes(self._emit(options).buffer)

    def _emit(self, options: dict[str, Any]) -> EmittedProgram:
        return emit_program(self.exported_program(), **options)


_MODULE_NAME = "lowered_module_0"


def _call_graph(original: ExportedProgram) -> tuple[torch.fx.Graph, list[torch.fx.Node], list[torch.fx.Node]]:
    """A graph that hands its inputs to a delegate and returns what it gives; with its inputs and outputs."""
    graph = torch.fx.Graph()
    by_name = {node.name: node for node in original.graph.nodes}
    arguments = []
    for spec in original.graph_signature.input_specs:
        if spec.kind is InputKind.USER_INPUT:
            placeholder = graph.placeholder(spec.arg.name)
            placeholder.name = spec.arg.name
            placeholder.meta = dict(by_name[spec.arg.name].meta)
            arguments.append(placeholder)
    call = graph.call_function(executorch_call_delegate, (graph.get_attr(_MODULE_NAME), *arguments))
    outputs = zip(_output_args(original.graph), original.graph_signature.output_specs, strict=True)
    values = [_value(arg) for arg, output in outputs if output.kind is OutputKind.USER_OUTPUT]
    if original.call_spec.out_spec.is_leaf():
        # In Python the call gives what the subgraph gives: here one bare value.
        call.meta[meta_keys.VAL] = values[0]
        results = [call]
    else:
        call.meta[meta_keys.VAL] = tuple(values)
        results = [graph.call_function(operator.getitem, (call, index)) for index in range(len(values))]
        for result, value in zip(results, values, strict=True):
            result.meta[meta_keys.VAL] = value
    for handle, node in enumerate(dict.fromkeys([call, *results]), start=1):
        node.meta[meta_keys.DEBUG_HANDLE] = handle
    graph.output(tuple(results))
    return graph, arguments, results


def _wrap(lowered: LoweredBackendModule) -> ExportedProgram:
    original = lowered.original_module
    graph, arguments, results = _call_graph(original)
    input_specs = [InputSpec(InputKind.USER_INPUT, _argument(node), None) for node in arguments]
    output_specs = [OutputSpec(OutputKind.USER_OUTPUT, _argument(node), None) for node in results]
    call_spec = original.call_spec
    return ExportedProgram(
        root={_MODULE_NAME: lowered},
        graph=graph,
        graph_signature=ExportGraphSignature(input_specs, output_specs),
        state_dict={},
        range_constraints=dict(original.range_constraints),
        module_call_graph=[
            ModuleCallEntry(
                "",
                ModuleCallSignature(
                    inputs=[], outputs=[], in_spec=call_spec.in_spec, out_spec=call_spec.out_spec
                ),
            )
        ],
        verifiers=original.verifiers,
    )


def _argument(node: torch.fx.Node) -> ArgumentSpec:
    return argument_spec(node.name, node.meta.get(meta_keys.VAL))


def _output_args(graph: torch.fx.Graph) -> list[Any]:
    return list(graph.output_node().args[0])  # type: ignore[arg-type]


def _value(arg: Any) -> Any:
    return arg.meta.get(meta_keys.VAL) if isinstance(arg, torch.fx.Node) else arg


class LoweredSubmodule(NamedTuple):
    """One delegate call in a graph: the attribute's name, the module, and the call itself."""

    name: str
    module: LoweredBackendModule
    node: torch.fx.Node


def get_lowered_submodules(graph_module: torch.fx.GraphModule) -> list[LoweredSubmodule]:
    """Every delegate call in this graph (not in its submodules), in order; unpacks to (name, module, node)."""
    found = []
    for node in graph_module.graph.find_nodes(op="call_function", target=executorch_call_delegate):
        name = str(node.args[0].target)
        module = operator.attrgetter(name)(graph_module)
        found.append(LoweredSubmodule(name, module, node))
    return found


def get_lowered_backend_modules(graph_module: torch.fx.GraphModule) -> list[LoweredBackendModule]:
    """The distinct lowered modules that this graph holds, in the order of their attributes' first use."""
    modules: dict[int, LoweredBackendModule] = {}
    for node in graph_module.graph.find_nodes(op="get_attr"):
        module = operator.attrgetter(str(node.target))(graph_module)
        if is_lowered_module(module):
            modules.setdefault(id(module), module)
    return list(modules.values())
