"""The campaign: a short one counts, a trailer hides nothing, and a file that is damaged in each way is told."""

import pathlib
import struct
import zlib

import pytest

from executorch.tests.fuzz import campaign

HERE = pathlib.Path(campaign.__file__).absolute().parent
LIMITS = ["--runs=300", "--seed=5"]


@pytest.fixture(scope="module")
def counts():
    return {target: campaign.run_target(target, HERE, HERE / "corpus", LIMITS) for target in campaign.SHARES}


def test_every_target_runs_and_nothing_crashes(counts):
    for target, found in counts.items():
        assert found["executions"] == 300, target
        assert found["crashes"] == found["hangs"] == 0, target
    assert counts["program"]["errors"] > 50
    assert counts["program"]["ok"] > 5


def test_with_the_trailer_no_damage_goes_unnoticed(counts):
    assert counts["program_with_trailer"]["changed"] == 0
    assert counts["program_with_trailer"]["errors"] > 200


def test_the_summary_adds_up(counts):
    result = campaign.summary(counts)
    assert result["executions"] == 300 * len(campaign.SHARES)
    assert result["crashes"] == 0
    assert result["silently_wrong_with_trailer"] == 0


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
