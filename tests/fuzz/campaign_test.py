"""The campaign: a short one counts, a trailer hides nothing, and a file that is damaged in each way is told."""

import pathlib
import struct
import zlib

import pytest

from executorch.devtools.etdump import schema_flatcc as flatcc
from executorch.devtools.etdump.serialize import serialize_to_etdump_flatcc
from executorch.tests.fuzz import campaign

HERE = pathlib.Path(campaign.__file__).absolute().parent
LIMITS = ["--runs=300", "--seed=5"]


@pytest.fixture(scope="module")
def counts():
    targets = campaign.available(HERE, HERE / "corpus")
    assert {"program", "program_with_trailer", "flat_tensor", "headers"} <= set(targets)
    return {target: campaign.run_target(target, HERE, HERE / "corpus", LIMITS) for target in targets}


def test_every_target_runs_and_nothing_crashes(counts):
    for target, found in counts.items():
        assert found["executions"] == 300, target
        assert found["crashes"] == found["hangs"] == 0, target
    assert counts["program"]["errors"] > 50
    assert counts["program"]["ok"] > 5
    # Not only refusals: what runs after the parsers runs.
    for target in {"bundled", "differential", "etdump", "kernels", "tokenizer", "xnnpack"} & set(counts):
        assert counts[target]["ok"] > 5, target
        assert counts[target]["errors"] > 20, target


def test_kernels_of_both_libraries_agree(counts):
    if "differential" not in counts:
        pytest.skip("campaign_all_test has both libraries")
    assert counts["differential"]["changed"] == 0


def test_with_the_trailer_no_damage_goes_unnoticed(counts):
    assert counts["program_with_trailer"]["changed"] == 0
    assert counts["program_with_trailer"]["errors"] > 200


def test_the_summary_adds_up(counts):
    result = campaign.summary(counts)
    assert result["executions"] == 300 * len(counts)
    assert result["crashes"] == 0
    assert result["silently_wrong_with_trailer"] == 0


def test_some_targets():
    shares = campaign.shares_of(["jni", "kernels"])
    assert list(shares) == ["jni", "kernels"] and sum(shares.values()) == pytest.approx(1)
    assert sum(campaign.SHARES.values()) == pytest.approx(1)
    with pytest.raises(ValueError, match="no target nothing; there are program"):
        campaign.shares_of(["nothing"])


def test_another_processor_has_what_was_built_for_it(tmp_path):
    for name in ("headers_fuzzer", "program_fuzzer"):
        (tmp_path / name).touch()
    (tmp_path / "etdump").mkdir()
    targets = ["program", "program_with_trailer", "headers"]
    assert campaign.available(tmp_path, tmp_path, "qemu") == targets
    assert campaign.available(tmp_path, tmp_path) == [*targets, "etdump"]


def test_event_dumps_that_are_no_ones_are_told(tmp_path):
    run = flatcc.RunData(name="execute", bundled_input_index=-1, allocators=[], events=[])
    original = serialize_to_etdump_flatcc(flatcc.ETDumpFlatCC(version=0, run_data=[run]))
    (tmp_path / "a").write_bytes(original)
    (tmp_path / "b").write_bytes(original[:30])
    found = campaign.etdump_reading.read_all(tmp_path, original)
    assert found == {"executions": 2, "ok": 1, "errors": 1, "changed": 0, "crashes": 0, "hangs": 0}


def test_the_trailer_is_the_documented_one():
    file = b"x" * 30
    trailer = campaign.with_trailer(file)[30:]
    record = struct.pack("<4sIQQ", b"ETIG", 1, 30, zlib.crc32(file))
    assert trailer == 16 * b"ETIG" + record + 16 * b"ETIG" + record
    assert len(trailer) == 176


def test_a_driver_that_fails_is_told(tmp_path):
    (tmp_path / "program").mkdir()
    with pytest.raises(RuntimeError, match="program_fuzzer failed"):
        campaign.run_target("program", HERE, tmp_path, LIMITS)
