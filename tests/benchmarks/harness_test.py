"""The harness on a clock of its own: what it reports is what the cases took, whatever drifts."""

import json

import pytest

from executorch.tests.benchmarks.harness import Case, batch_size, benchmark_main, measure, table, to_json


class FakeClock:
    """Time passes only when cases run."""

    def __init__(self):
        self.now = 0.0
        self.factor = 1.0
        self.log = []

    def __call__(self):
        return self.now

    def case(self, group, name, seconds):
        def run():
            self.log.append(name)
            self.now += seconds * self.factor

        return Case(group, name, run)


def test_medians_and_ratios():
    clock = FakeClock()
    cases = [clock.case("job", "a", 1e-3), clock.case("job", "b", 3e-3), clock.case("other", "c", 2.0)]
    a, b, c = measure(cases, rounds=5, batch_seconds=0.02, clock=clock)
    assert a.median_us == pytest.approx(1e3) and b.median_us == pytest.approx(3e3)
    assert (a.ratio, c.ratio) == (1.0, 1.0) and b.ratio == pytest.approx(3.0)
    assert c.runs == 5 and a.runs == 5 * 20


def test_rounds_are_interleaved_and_rotate():
    clock = FakeClock()
    cases = [clock.case("job", name, 1.0) for name in "abc"]
    for case in cases:
        batch_size(case, 1.0, clock)
    clock.log.clear()
    measure(cases, rounds=3, batch_seconds=1.0, clock=clock)
    assert "".join(clock.log[3:]) == "abcbcacab"


def test_a_drifting_machine_does_not_favour_the_first():
    clock = FakeClock()

    def drifting(name):
        case = clock.case("job", name, 1e-3)

        def run():
            case.run()
            clock.factor *= 1.0005

        return Case("job", name, run)

    a, b = measure([drifting("a"), drifting("b")], rounds=21, batch_seconds=1e-3, clock=clock)
    assert b.ratio == pytest.approx(1.0, abs=0.01)
    assert a.low_us < a.median_us < a.high_us


def test_an_outlier_does_not_move_the_median():
    clock = FakeClock()
    cases = [clock.case("job", "a", 1e-3)]
    original = cases[0].run

    def run():
        clock.factor = 50.0 if len(clock.log) % 7 == 6 else 1.0
        original()

    (a,) = measure([Case("job", "a", run)], rounds=15, batch_seconds=1e-3, clock=clock)
    assert a.median_us == pytest.approx(1e3) and a.best_us == pytest.approx(1e3)


def test_what_is_refused():
    clock = FakeClock()
    with pytest.raises(ValueError, match="at least 3"):
        measure([clock.case("job", "a", 1.0)], rounds=2, clock=clock)
    with pytest.raises(ValueError, match="same group and name"):
        measure([clock.case("job", "a", 1.0)] * 2, clock=clock)


def test_table_and_json(capsys, tmp_path):
    clock = FakeClock()
    measurements = measure([clock.case("x", "a", 1.0), clock.case("y", "b", 2.0)], rounds=3, clock=clock)
    assert table(measurements).splitlines()[2] == ""
    assert json.loads(to_json(measurements))["y"]["b"]["median_us"] == pytest.approx(2e6)
    path = tmp_path / "figures.json"
    arguments = ["--quiet", "--rounds=3", "--batch-ms=0.1", f"--json={path}"]
    assert benchmark_main("bench", lambda: [Case("x", "nothing", lambda: None)], arguments) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("RESULT ") and json.loads(last[7:]) == json.loads(path.read_text())
