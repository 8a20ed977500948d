"""Neural statistics of the VGF delegate: their records alone, and out of an ETDump."""

import json

import pytest

from executorch.devtools.etdump import schema_flatcc as flatcc
from executorch.devtools.etdump.serialize import serialize_to_etdump_flatcc
from executorch.devtools.inspector import Inspector
from executorch.devtools.inspector.vgf_neural_statistics import (
    SCHEMA,
    parse_vgf_neural_statistics_delegate_metadata,
    parse_vgf_neural_statistics_metadata,
)


def record(data="AQID", version=1, **blob):
    parts = {
        "debug_database": {"available": True, "is_text": False, "encoding": "base64", "data": data, **blob},
        "statistics_info": {"available": True, "is_text": True, "encoding": "base64", "data": "aW5mbw=="},
        "statistics_memory": {"available": False, "encoding": "base64", "data": ""},
    }
    return json.dumps({"schema": SCHEMA, "schema_version": version, "segments": [{"segment_id": 0, **parts}]})


def test_bytes_are_decoded():
    (segment,) = parse_vgf_neural_statistics_metadata(record())["segments"]
    assert segment["debug_database"]["raw_data"] == b"\x01\x02\x03"
    assert segment["statistics_info"]["text"] == "info"
    assert segment["statistics_memory"]["raw_data"] == b""
    assert segment["segment_id"] == 0


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        (b"{}", "Not VGF neural statistics metadata"),
        (record(version=2), "Unsupported VGF neural statistics metadata schema version: 2"),
        (record(data="no base64!"), "Malformed base64 data"),
        (record(encoding="hex"), "Unsupported VGF neural statistics blob encoding: hex"),
        (b"no JSON", "Expecting value"),
    ],
)
def test_what_is_wrong_is_said(metadata, message):
    with pytest.raises(ValueError, match=message):
        parse_vgf_neural_statistics_metadata(metadata)


def test_other_metadata_are_passed_over_and_broken_ones_are_not():
    assert len(parse_vgf_neural_statistics_delegate_metadata([b"", b"other", record().encode()])) == 1
    with pytest.raises(ValueError, match="Expecting"):
        parse_vgf_neural_statistics_delegate_metadata([record()[:-1]])


def test_an_inspector_finds_them(tmp_path):
    spans = [
        flatcc.ProfileEvent(None, 0, 3, -1, name, attached, 0, 1)
        for name, attached in (("VGF_NEURAL_STATISTICS", record().encode()), ("other", b"abc"))
    ]
    events = [flatcc.Event(span, None, None) for span in spans]
    dump = flatcc.ETDumpFlatCC(0, [flatcc.RunData("forward", -1, [], events)])
    inspector = Inspector(etdump_data=serialize_to_etdump_flatcc(dump))
    (found,) = inspector.get_vgf_neural_statistics()
    assert found["segments"][0]["debug_database"]["raw_data"] == b"\x01\x02\x03"
