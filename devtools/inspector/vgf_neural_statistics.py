"""Neural statistics that the VGF delegate attaches to its events, as objects.

The metadata of an event are JSON: `schema`, `schema_version`, and `segments`, each with a `debug_database`,
`statistics_info` and `statistics_memory`, which hold bytes as text.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from typing import Any

from executorch.devtools.inspector.delegate_records import register_delegate_records

SCHEMA = "executorch.vgf.neural_statistics"
SCHEMA_VERSION = 1

#: The parts of a segment that hold bytes.
_BLOBS = ("debug_database", "statistics_info", "statistics_memory")

DelegateMetadataBytes = bytes | bytearray | str


def _to_bytes(metadata: DelegateMetadataBytes) -> bytes:
    if isinstance(metadata, str):
        return metadata.encode("utf-8")
    if isinstance(metadata, (bytes, bytearray)):
        return bytes(metadata)
    raise TypeError(f"Unsupported delegate metadata type: {type(metadata)}; give bytes or text")


def _decode_blob(blob: dict[str, Any]) -> dict[str, Any]:
    """The blob with its bytes as `raw_data`, and what is text as `text` as well.

    Raises:
        ValueError: the bytes are encoded in a way that is not known, or wrongly.
    """
    if not blob.get("available"):
        return {**blob, "raw_data": b""}
    encoding = blob.get("encoding", "base64")
    if encoding != "base64":
        raise ValueError(f"Unsupported VGF neural statistics blob encoding: {encoding}; base64 is known")
    try:
        raw = base64.b64decode(blob.get("data", ""), validate=True)
    except ValueError as error:
        raise ValueError(f"Malformed base64 data in VGF neural statistics blob: {error}") from None
    decoded = {**blob, "raw_data": raw}
    if blob.get("is_text"):
        decoded["text"] = raw.decode("utf-8", errors="replace")
    return decoded


def parse_vgf_neural_statistics_metadata(metadata: DelegateMetadataBytes) -> dict[str, Any]:
    """Reads the metadata of one event.

    Args:
        metadata: JSON.

    Returns:
        The object, in which each part of a segment that holds bytes has them as `raw_data`.

    Raises:
        TypeError: it is neither bytes nor text.
        ValueError: it is no JSON, of another schema, of a version that is not known, or its bytes are wrongly encoded.
    """
    document = json.loads(_to_bytes(metadata))
    schema = document.get("schema") if isinstance(document, dict) else None
    if schema != SCHEMA:
        raise ValueError(f"Not VGF neural statistics metadata: {schema}")
    version = document.get("schema_version")
    if version != SCHEMA_VERSION:
        raise ValueError(f"Unsupported VGF neural statistics metadata schema version: {version}")
    segments = [
        {name: _decode_blob(value) if name in _BLOBS else value for name, value in segment.items()}
        for segment in document.get("segments") or []
    ]
    return {**document, "segments": segments}


def parse_vgf_neural_statistics_delegate_metadata(
    delegate_metadata_list: Sequence[DelegateMetadataBytes],
) -> list[dict[str, Any]]:
    """Reads what of an event's metadata are neural statistics, and passes over the rest.

    Raises:
        ValueError: What names the schema cannot be read.
    """
    found = []
    for metadata in delegate_metadata_list:
        if SCHEMA.encode() not in _to_bytes(metadata):
            continue
        try:
            found.append(parse_vgf_neural_statistics_metadata(metadata))
        except ValueError as error:
            raise ValueError(f"Malformed VGF neural statistics delegate metadata: {error}") from error
    return found


register_delegate_records(SCHEMA, parse_vgf_neural_statistics_delegate_metadata)
