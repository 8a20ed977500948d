"""What quantizers one behind the other did to a graph, under its published name."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field

from torch.fx import GraphModule, Node
from torchao.quantization.pt2e.quantizer import (
    DerivedQuantizationSpec,
    QuantizationSpec,
    QuantizationSpecBase,
    SharedQuantizationSpec,
)

from executorch.backends.arm.quantizer.annotations import ANNOTATION, is_annotated

logger = logging.getLogger(__name__)

_WIDTH = 100
_LINE = "-" * _WIDTH


def qspec_repr(qspec: QuantizationSpecBase | None) -> str:
    """A spec in short."""
    if isinstance(qspec, SharedQuantizationSpec):
        return f"SharedQuantizationSpec(edge_or_node={qspec.edge_or_node})"
    if isinstance(qspec, DerivedQuantizationSpec):
        return f"DerivedQuantizationSpec(derived_from={qspec.derived_from}, dtype={qspec.dtype})"
    if isinstance(qspec, QuantizationSpec):
        limits = (qspec.quant_min, qspec.quant_max)
        told = "" if limits == (None, None) else f", range=({limits[0]},{limits[1]})"
        return f"QuantizationSpec(dtype={str(qspec.dtype).removeprefix('torch.').upper()}{told})"
    return str(qspec)


@dataclass
class QuantizerInfo:
    """What a quantizer is, in words."""

    name: str
    targeted_nodes_description: str
    qconfig_label: str
    support_config_path: str


@dataclass
class QuantizerReport:
    """What one quantizer took, and what it did not, with the reason."""

    _PREVIOUS_ANNOTATION_REJECT_REASON = "Tried annotating already annotated node."

    info: QuantizerInfo
    accepted: list[list[Node]] = field(default_factory=list)
    rejected: list[tuple[list[Node], str]] = field(default_factory=list)
    previous: list[list[Node]] = field(default_factory=list)

    def lines(self, with_nodes: bool) -> list[str]:
        """The report; ``with_nodes`` has a table of the nodes."""
        told = [
            f"{self.info.name} using {self.info.targeted_nodes_description}",
            f"Annotating with {self.info.qconfig_label}",
            f"Supported operators and patterns defined by {self.info.support_config_path}",
        ]
        if not (self.accepted or self.rejected or self.previous):
            return [*told, "   No patterns accepted or rejected.", ""]
        rejected = [pattern for pattern, _ in self.rejected]
        told += [
            f"   Accepted nodes: {_count(self.accepted)}",
            f"   Rejected due to previous annotation: {_count(self.previous)}",
            f"   Rejected nodes: {_count(rejected)}",
        ]
        return [*told, "", *self._table()] if with_nodes and (self.accepted or rejected) else told

    def _table(self) -> list[str]:
        rows = [row for pattern in self.accepted for row in _rows(pattern, None)]
        rows += [row for pattern, why in self.rejected for row in _rows(pattern, why)]
        heads = ["", "NODE NAME", "INPUT QSPEC MAP", "OUTPUT QSPEC MAP"]
        if not any(row[0] for row in rows):
            heads, rows = heads[1:], [row[1:] for row in rows]
        widths = [max(len(head) + 2, *(len(row[i]) for row in rows)) for i, head in enumerate(heads)]
        table = [heads, ["-" * width for width in widths], *rows]
        return [
            ("   " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))).rstrip()
            for row in table
        ]


def _count(patterns: list[list[Node]]) -> int:
    return len({node for pattern in patterns for node in pattern})


def _rows(pattern: list[Node], why: str | None) -> list[list[str]]:
    """A line for each input of each node, and a bracket around those of several nodes."""
    made = []
    for node in pattern:
        annotation = node.meta.get(ANNOTATION)
        inputs, output = [""], ""
        if why is not None:
            inputs = [f"Rejected: {why}"]
        elif annotation is not None:
            inputs = [f"{one}: {qspec_repr(spec)}" for one, spec in annotation.input_qspec_map.items()] or [
                ""
            ]
            output = qspec_repr(annotation.output_qspec)
        made += [
            ["|", node.name if i == 0 else "", told, output if i == 0 else ""]
            for i, told in enumerate(inputs)
        ]
    if len(pattern) == 1:
        return [["", *row[1:]] for row in made]
    made[0][0], made[-1][0] = "╒", "╘"
    return made


class QuantizerReporterUser(ABC):
    """A quantizer that is reported of: it tells of each pattern what became of it, while a reporter listens."""

    def __init__(self) -> None:
        self.report: QuantizerReport | None = None

    @abstractmethod
    def get_quantizer_info(self) -> QuantizerInfo:
        """What it is, in words."""

    def report_accept(self, pattern: list[Node]) -> None:
        """These nodes are annotated."""
        if self.report is not None:
            self.report.accepted.append(list(pattern))

    def report_reject(self, pattern: list[Node], reason: str) -> None:
        """These nodes are not, for this reason."""
        if self.report is None:
            return
        if reason == QuantizerReport._PREVIOUS_ANNOTATION_REJECT_REASON:
            self.report.previous.append(list(pattern))
        else:
            self.report.rejected.append((list(pattern), reason))


class QuantizerReporter:
    """Listens to quantizers, and logs what they did: at level INFO in numbers, at DEBUG node by node.

    Args:
        quantizers: in the order in which they annotate.
    """

    def __init__(self, quantizers: Sequence[QuantizerReporterUser]) -> None:
        self.set_quantizers(quantizers)

    def set_quantizers(self, quantizers: Sequence[QuantizerReporterUser]) -> None:
        """Listens to these, from now on."""
        self.reports = []
        for one in quantizers:
            one.report = QuantizerReport(one.get_quantizer_info())
            self.reports.append(one.report)

    def log_quantizer_report(self, model: GraphModule) -> None:
        """Logs what was told, and which nodes of the graph nobody annotated."""
        if not logger.isEnabledFor(logging.INFO):
            return
        with_nodes = logger.isEnabledFor(logging.DEBUG)
        left = [node.name for node in model.graph.nodes if not is_annotated(node)]
        lines = [_LINE, "QUANTIZATION REPORT".center(_WIDTH), _LINE]
        for report in self.reports:
            lines += [*report.lines(with_nodes), _LINE]
        lines += (
            ["Non annotated nodes:", *(f"    {name}" for name in left)]
            if with_nodes
            else [f"Non annotated nodes: {len(left)}"]
        )
        logger.log(logging.DEBUG if with_nodes else logging.INFO, "\n%s", "\n".join([*lines, _LINE]))
