"""The driver ends what does not end by itself, and not what has to wait for others on the machine."""

import pathlib
import subprocess

SLOW = pathlib.Path(__file__).parent / "slow_fuzzer"


def run(path, contents):
    path.write_bytes(contents)
    command = [str(SLOW), "--runs=0", "--timeout=1", str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_target_that_loops_is_a_hang(tmp_path):
    done = run(tmp_path / "file", b"loop")
    assert (done.returncode, "HANG; repeat with" in done.stderr) == (75, True), done.stderr


def test_time_in_which_others_have_the_processor_does_not_count(tmp_path):
    done = run(tmp_path / "file", b"wait")
    assert done.returncode == 0, done.stderr
    assert '"hangs": 0' in done.stdout
