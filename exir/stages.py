"""A lowering as a value: named stages, what each needs and leaves behind, and the runner.

The stages of this compiler stand in :mod:`executorch.exir.pipeline`. The runner checks the form of the programs where
a stage names one, once at each border; it advances the progress bar and logs the time of each stage at debug level.
"""

import contextlib
import dataclasses
import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from torch.export import ExportedProgram

from executorch.dialects.errors import ExportError, ExportErrorType
from executorch.exir.progress import step
from executorch.ir.signature import sync_signature
from executorch.passes.infrastructure.pass_base import ExportedProgramPassBase, ExportedProgramPassResult
from executorch.passes.infrastructure.pass_manager import ExportedProgramPassManager

_LOG = logging.getLogger(__name__)

Programs: TypeAlias = Mapping[str, ExportedProgram]
Settings: TypeAlias = Mapping[str, Any]


def _as_it_is(program: ExportedProgram, settings: Any) -> ExportedProgram:
    del settings
    return program


def always(settings: Any) -> bool:
    """The condition of a stage that is never left out."""
    del settings
    return True


@dataclass(frozen=True)
class Asked:
    """The condition of a stage that an option of the configuration asks for.

    Attributes:
        option: attribute of ``settings.config``.
        off: True if the stage runs while the option is off.
    """

    option: str
    off: bool = False

    def __call__(self, settings: Any) -> bool:
        return bool(getattr(settings.config, self.option)) is not self.off

    def __str__(self) -> str:
        return f"`{self.option}` off" if self.off else f"`{self.option}`"


@dataclass(frozen=True)
class Form:
    """A form that programs have at a border between stages.

    Attributes:
        name: as tables and messages say it.
        verify: of a program and the settings of its method; raises for a program of another form, and gives the
            program marked as one of this form.
    """

    name: str
    verify: Callable[[ExportedProgram, Any], ExportedProgram] = field(default=_as_it_is, repr=False)


class ProgramStep(ExportedProgramPassBase):
    """A function over a whole program as a pass; what it returns goes on, if that is a program.

    Args:
        function: of the program and ``arguments``; may edit the program in place.
        arguments: besides the program.
    """

    def __init__(self, function: Callable[..., Any], *arguments: Any) -> None:
        self._function = function
        self._arguments = arguments
        self.__name__ = getattr(function, "__name__", type(function).__name__)

    def call(self, exported_program: ExportedProgram) -> ExportedProgramPassResult:
        result = self._function(exported_program, *self._arguments)
        program = result if isinstance(result, ExportedProgram) else exported_program
        return ExportedProgramPassResult(program, True)


@dataclass(frozen=True)
class Stage:
    """Passes with a name, run over one method after the other.

    Attributes:
        name: unique in a pipeline.
        passes: gives, for the settings of a method, its passes: callables from ``GraphModule`` to ``PassResult``, and
            ``ExportedProgramPassBase`` objects. They may work in place.
        requires: the form that programs must have before; None: whatever the stage before has left.
        ensures: the form that they have afterwards; None: none that could be checked.
        when: of the settings of a method, whether the stage runs.
        leaves: what it leaves behind, for the table.
    """

    name: str
    passes: Callable[[Any], Sequence[Any]]
    requires: "Form | None" = None
    ensures: "Form | None" = None
    when: Callable[[Any], bool] = always
    leaves: str = ""

    def apply(self, programs: Programs, settings: Settings) -> "tuple[dict[str, ExportedProgram], set[str]]":
        """The programs afterwards, and the methods that the stage ran over."""
        result, touched = dict(programs), set()
        for name, program in programs.items():
            if self.when(settings[name]):
                manager = ExportedProgramPassManager(self.passes(settings[name]))
                result[name] = manager(program).exported_program
                sync_signature(result[name])
                touched.add(name)
        return result, touched


@dataclass(frozen=True)
class JointStage:
    """A stage over all methods together, because they share something.

    Attributes:
        name, requires, ensures, leaves: as in :class:`Stage`.
        run: from the programs and the settings by method to the new programs. A method that it changes gets a new
            program object, unless its form stays the same.
    """

    name: str
    run: Callable[[Programs, Settings], Programs]
    requires: "Form | None" = None
    ensures: "Form | None" = None
    leaves: str = ""
    when: Callable[[Any], bool] = always

    def apply(self, programs: Programs, settings: Settings) -> "tuple[dict[str, ExportedProgram], set[str]]":
        """The programs afterwards, and the methods whose program is another object."""
        result = dict(self.run(programs, settings))
        return result, {name for name, program in result.items() if program is not programs.get(name)}


@dataclass(frozen=True)
class Pipeline:
    """Stages in order. A value: the methods that change one give a new one.

    Attributes:
        name: of the whole, for the log.
        stages: in the order in which they run.
    """

    name: str
    stages: "tuple[Stage | JointStage, ...]"

    def __post_init__(self) -> None:
        object.__setattr__(self, "stages", tuple(self.stages))
        names = [stage.name for stage in self.stages]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise _error(f"the pipeline {self.name} has more than one stage named {twice}")

    def __iter__(self) -> "Iterator[Stage | JointStage]":
        return iter(self.stages)

    def __len__(self) -> int:
        return len(self.stages)

    def position(self, name: str) -> int:
        """The place of a stage, from 0.

        Raises:
            ExportError: there is none of this name; the message lists all.
        """
        names = [stage.name for stage in self.stages]
        if name not in names:
            raise _error(f"the pipeline {self.name} has no stage {name!r}; it has {names}")
        return names.index(name)

    def insert_after(self, name: str, *stages: "Stage | JointStage") -> "Pipeline":
        """With further stages behind the one named ``name``."""
        place = self.position(name) + 1
        return self._with((*self.stages[:place], *stages, *self.stages[place:]))

    def until(self, name: str) -> "Pipeline":
        """The stages up to the one named ``name``, that one included."""
        return self._with(self.stages[: self.position(name) + 1])

    def after(self, name: str) -> "Pipeline":
        """The stages behind the one named ``name``."""
        return self._with(self.stages[self.position(name) + 1 :])

    def run(
        self, programs: Programs, settings: Settings, holds: "Form | None" = None
    ) -> dict[str, ExportedProgram]:
        """Runs the stages.

        Args:
            programs: by method name.
            settings: by method name; what ``passes`` and ``when`` of the stages are given.
            holds: a form that the caller has verified already.

        Raises:
            ExportError: from a pass, or where a program has not the form that a stage requires or ensures.
        """
        result = dict(programs)
        verified: dict[str, Form | None] = dict.fromkeys(result, holds)
        for stage in self.stages:
            step(stage.name)
            with timed(self.name, stage.name):
                _verify(stage.requires, result, settings, verified)
                result, touched = stage.apply(result, settings)
                verified.update(dict.fromkeys(touched))
                _verify(stage.ensures, result, settings, verified)
        return result

    def ending_in(self, form: Form) -> "Pipeline":
        """This pipeline, if its last stage ensures ``form``.

        Raises:
            ExportError: it stops earlier.
        """
        if not self.stages or self.stages[-1].ensures != form:
            last = repr(self.stages[-1].name) if self.stages else "nothing"
            raise _error(
                f"the pipeline {self.name} ends with {last}, which does not give {form.name} programs\n"
                "Way out: call its method run to see what the programs are like there"
            )
        return self

    def table(self) -> str:
        """The stages as a table in Markdown."""
        rows = [_HEADINGS, ("---",) * len(_HEADINGS), *_rows(self)]
        return "".join("|" + "".join(f" {cell} |" if cell else " |" for cell in row) + "\n" for row in rows)

    def __str__(self) -> str:
        rows = [_HEADINGS, *_rows(self)]
        widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADINGS))]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows
        ]
        return "\n".join(line.rstrip() for line in lines)

    def _with(self, stages: "tuple[Stage | JointStage, ...]") -> "Pipeline":
        return dataclasses.replace(self, stages=stages)


def _verify(
    form: "Form | None",
    programs: dict[str, ExportedProgram],
    settings: Settings,
    verified: "dict[str, Form | None]",
) -> None:
    """Brings ``form`` about in ``verified``; a program that is known to have it is not checked again."""
    if form is None:
        return
    for name, program in programs.items():
        if verified.get(name) != form:
            programs[name] = form.verify(program, settings[name])
            verified[name] = form


_HEADINGS = ("stage", "leaves behind", "requires", "ensures", "only with")


def _rows(pipeline: Pipeline) -> "list[tuple[str, ...]]":
    return [
        (
            stage.name,
            stage.leaves,
            stage.requires.name if stage.requires else "",
            stage.ensures.name if stage.ensures else "",
            _condition(stage.when),
        )
        for stage in pipeline
    ]


def _condition(when: Callable[[Any], bool]) -> str:
    if when is always:
        return ""
    return str(when) if isinstance(when, Asked) else getattr(when, "__name__", repr(when)).replace("_", " ")


@contextlib.contextmanager
def timed(pipeline: str, stage: str) -> Iterator[None]:
    """Logs at debug level how long its body takes, in milliseconds."""
    begin = time.perf_counter()
    yield
    _LOG.debug("%s: %s took %.1f ms", pipeline, stage, 1e3 * (time.perf_counter() - begin))


def _error(message: str) -> ExportError:
    return ExportError(ExportErrorType.INVALID_INPUT_TYPE, message)


__all__ = ["Asked", "Form", "JointStage", "Pipeline", "ProgramStep", "Stage", "always", "timed"]
