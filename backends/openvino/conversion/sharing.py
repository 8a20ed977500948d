"""A model as text beside its weights, so that several programs can have the same ones.

What a device compiled holds its weights, and reading it takes no other file in the C interface. A text is compiled when a
program is loaded; its constants may lie anywhere, so that each large one is named data of its own, found by its content.

Bytes of the delegate, all numbers little-endian and of 64 bits:

=========  ==============================================================================================
what       content
=========  ==============================================================================================
header     ``ETOVTEXT``; bytes of the text, constants, shared contents, bytes of the small constants
constants  for each: where in the text the digits of its place stand, its bytes, the number of its content (as many as
           there are contents: a small one), its place among the small ones
contents   for each: the 32 bytes of its SHA-256, from which the key of its named data is made
text       of OpenVINO's own form, with 20 digits for the place of each constant
constants  the small ones, from the next multiple of 64 on
=========  ==============================================================================================
"""

from __future__ import annotations

import hashlib
import re
import struct
import tempfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from executorch.dialects.errors import ExportError
from executorch.partitioner import NamedDataStore

#: Key of the compile spec: the ``.ptd`` file that gets the weights, empty for the program itself.
SHARE = "share_weights"
#: What the delegate's bytes begin with, and what the keys of named data do.
MAGIC, KEY = b"ETOVTEXT", "openvino_"
#: Smaller constants stay in the delegate's bytes.
_LEAST_BYTES = 1024
_ALIGNMENT = 64
_PLACE = re.compile(rb'offset="([0-9]{20})" size="([0-9]+)"')


def with_shared_weights(ov: Any, model: Any, tag: str) -> tuple[bytes, NamedDataStore]:
    """The delegate's bytes, and what they share.

    Args:
        ov: the module ``openvino``.
        model: what is written down.
        tag: the ``.ptd`` file that gets the weights, empty for the program itself.

    Raises:
        ExportError: an operator of the model has places in files of its own.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.xml"
        ov.save_model(model, path, compress_to_fp16=False)
        weights = path.with_suffix(".bin").read_bytes()
        text, parts = _text_and_constants(path, weights)
    places = [found.start(1) for found in _PLACE.finditer(text)]
    if len(places) != len(parts) or text.count(b"offset") != len(parts):
        raise ExportError(
            f"OpenVINO: an operator of the subgraph reads a file of its own. Way out: no compile spec {SHARE!r}"
        )
    store = NamedDataStore()
    digests: dict[bytes, int] = {}
    small = bytearray()
    rows: list[tuple[int, int, int | None, int]] = []
    for place, part in zip(places, parts, strict=True):
        if len(part) < _LEAST_BYTES:
            small.extend(b"\0" * (-len(small) % _ALIGNMENT))
            rows.append((place, len(part), None, len(small)))
            small.extend(part)
            continue
        digest = hashlib.sha256(part).digest()
        if digest not in digests:
            digests[digest] = len(digests)
            store.add_named_data(KEY + digest.hex(), part, _ALIGNMENT, tag or None)
        rows.append((place, len(part), digests[digest], 0))
    head = bytearray(MAGIC + struct.pack("<4Q", len(text), len(rows), len(digests), len(small)))
    for place, size, content, offset in rows:
        head += struct.pack("<4Q", place, size, len(digests) if content is None else content, offset)
    head += b"".join(digests) + text
    return bytes(head) + b"\0" * (-len(head) % _ALIGNMENT) + bytes(small), store


def _text_and_constants(path: Path, weights: bytes) -> tuple[bytes, list[bytes]]:
    """The text with digits for places, and the constants in the order of these."""
    root = ElementTree.parse(path).getroot()
    root.attrib["name"] = "subgraph"
    parts = []
    for number, layer in enumerate(root.iter("layer")):
        # OpenVINO's names have counters in them, those of inputs are the user's words.
        layer.attrib["name"] = f"{layer.attrib['type']}_{number}"
        for port in layer.iter("port"):
            port.attrib.pop("names", None)
        data = layer.find("data")
        if layer.get("type") == "Const" and data is not None:
            offset, size = int(data.attrib["offset"]), int(data.attrib["size"])
            parts.append(weights[offset : offset + size])
            data.attrib["offset"] = "0" * 20
    return ElementTree.tostring(root, encoding="us-ascii", xml_declaration=True), parts
