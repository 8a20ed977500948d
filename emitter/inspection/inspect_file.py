"""From the bytes of a file to a report about it."""

from __future__ import annotations

from executorch.emitter.flat_tensor import FlatTensorSerializer
from executorch.emitter.headers import ExtendedHeader, FlatTensorHeader
from executorch.emitter.inspection.problems import problems_of
from executorch.emitter.inspection.program import program_report
from executorch.emitter.inspection.report import Report, Section
from executorch.emitter.inspection.tensors import nbytes, type_and_shape
from executorch.emitter.pte_file import deserialize_pte_binary
from executorch.schema import flat_tensor, program
from executorch.schema.wire import BytesLike, FormatError

_HEAD = 8
"""A flatbuffer begins with its root's offset and its identifier, four bytes each."""


def inspect_bytes(data: BytesLike) -> Report:
    """Describes a `.pte` or `.ptd` file; never raises, whatever the bytes are.

    What is wrong with the file stands in `Report.problems`. A file that cannot be read at all has no sections.
    """
    view = memoryview(data).cast("B")
    identifier = bytes(view[4:_HEAD])
    try:
        if identifier == program.FILE_IDENTIFIER.encode():
            return _inspect_program(view)
        if identifier == flat_tensor.FILE_IDENTIFIER.encode():
            return _inspect_data(view)
    except FormatError as error:
        return Report(facts={"bytes": len(view)}, problems=[str(error)])
    return Report(facts={"bytes": len(view)}, problems=[_what_else(view, identifier)])


def _what_else(view: memoryview, identifier: bytes) -> str:
    if not len(view):
        return "the file is empty"
    if len(view) < _HEAD:
        return f"the file has {len(view)} bytes; a program begins with {_HEAD} bytes of head"
    if identifier.startswith((b"ET", b"FT")):
        return (
            f"the file has the identifier {identifier!r}; this release reads {program.FILE_IDENTIFIER} (.pte) and "
            f"{flat_tensor.FILE_IDENTIFIER} (.ptd)"
        )
    if identifier.startswith(b"BP"):
        return "the file is a bundled program (.bpte): inspect the program that was bundled"
    if bytes(view[:2]) == b"PK":
        return "the file is a zip archive, such as torch.save and torch.export.save write: lower it to a program first"
    return (
        f"the file is no .pte and no .ptd file: bytes 4 to 8 are {identifier!r}, "
        f"not {program.FILE_IDENTIFIER!r} or {flat_tensor.FILE_IDENTIFIER!r}"
    )


def _inspect_program(view: memoryview) -> Report:
    header = ExtendedHeader.from_file(view)
    found = deserialize_pte_binary(view, copy=False)
    raw = program.read_program(view[: len(view) if header is None else header.program_size])
    rows: list[tuple[object, ...]] = [
        ("kind", "program (.pte)"),
        ("bytes", len(view)),
        ("schema version", raw.version),
        ("flatbuffer bytes", len(view) if header is None else header.program_size),
    ]
    if header is not None and header.segment_base_offset:
        rows.append(("segments begin at", header.segment_base_offset))
        rows.append(("bytes of segments", header.segment_data_size))
    report = program_report(found, raw)
    report.sections.insert(0, Section("File", (), rows))
    report.facts = {"kind": "pte", "bytes": len(view), **report.facts}
    report.problems = problems_of(found)
    report.facts["problems"] = report.problems
    return report


def _inspect_data(view: memoryview) -> Report:
    header = FlatTensorHeader.from_file(view)
    payload = FlatTensorSerializer().deserialize(view)
    rows: list[tuple[object, ...]] = [
        ("kind", "data by name (.ptd)"),
        ("bytes", len(view)),
        ("flatbuffer bytes", header.flatbuffer_size),
        ("segments begin at", header.segment_base_offset),
        ("bytes of segments", header.segment_data_size),
    ]
    items: list[tuple[object, ...]] = []
    problems = []
    for key, entry in payload.named_data.items():
        stored = len(payload.buffers[entry.buffer_index])
        layout = entry.tensor_layout
        kind = (
            "bytes" if layout is None else type_and_shape(layout.scalar_type, layout.sizes, layout.dim_order)
        )
        items.append((stored, key, kind, entry.buffer_index))
        if layout is not None and nbytes(layout.scalar_type, layout.sizes) > stored:
            problems.append(
                f"{key!r} is {kind}, which needs {nbytes(layout.scalar_type, layout.sizes)} bytes, "
                f"but its segment has {stored}"
            )
    items.sort(key=lambda item: (-item[0], item[1]))  # type: ignore[operator]
    return Report(
        sections=[
            Section("File", (), rows),
            Section("Data", ("bytes", "name", "type", "segment"), items),
            Section(
                "Segments",
                ("segment", "bytes"),
                [(number, len(buffer)) for number, buffer in enumerate(payload.buffers)],
            ),
        ],
        facts={
            "kind": "ptd",
            "bytes": len(view),
            "names": len(items),
            "data_bytes": sum(map(len, payload.buffers)),
            "segments": len(payload.buffers),
            "problems": problems,
        },
        problems=problems,
    )
