"""Records that delegates attach: read by what their backend registered, and by nothing that the inspector knows itself."""

import pathlib

import pytest

from executorch.devtools.etdump import schema_flatcc as flatcc
from executorch.devtools.etdump.serialize import serialize_to_etdump_flatcc
from executorch.devtools.inspector import Inspector, _inspector, delegate_records
from executorch.devtools.inspector.delegate_records import register_delegate_records


@pytest.fixture
def formats(monkeypatch):
    monkeypatch.setattr(delegate_records, "_readers", dict(delegate_records._readers))


@pytest.fixture
def inspector():
    attached = (b"count=1", b"", b"other", b"count=2")
    spans = [flatcc.ProfileEvent(None, 0, n, -1, f"step{n}", data, 0, 1) for n, data in enumerate(attached)]
    events = [flatcc.Event(span, None, None) for span in spans]
    dump = flatcc.ETDumpFlatCC(0, [flatcc.RunData("forward", -1, [], events)])
    return Inspector(etdump_data=serialize_to_etdump_flatcc(dump))


def counts(attached):
    assert all(attached), "what is empty is no record"
    return [{"count": int(one[6:])} for one in map(bytes, attached) if one.startswith(b"count=")]


def test_a_backends_own_reader_is_asked(formats, inspector):
    register_delegate_records("test.counts", counts)
    assert inspector.get_delegate_records("test.counts") == [{"count": 1}, {"count": 2}]


def test_the_last_reader_of_a_format_counts(formats, inspector):
    register_delegate_records("test.counts", counts)
    register_delegate_records("test.counts", lambda attached: [])
    assert inspector.get_delegate_records("test.counts") == []


def test_what_a_reader_refuses_is_said(formats, inspector):
    register_delegate_records(
        "test.counts", lambda attached: [{"count": int(bytes(one))} for one in attached]
    )
    with pytest.raises(ValueError, match="invalid literal"):
        inspector.get_delegate_records("test.counts")


def test_an_unknown_format_is_refused_with_those_that_there_are(inspector):
    with pytest.raises(
        ValueError, match=r"'test.counts'; known: .*executorch\.vgf\.neural_statistics.*Way out"
    ):
        inspector.get_delegate_records("test.counts")


def test_the_inspector_imports_no_format():
    text = pathlib.Path(_inspector.__file__).read_text()
    assert "inspector.vgf" not in text
