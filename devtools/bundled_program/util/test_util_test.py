"""The sample of the test utilities is a bundle that runs."""

from executorch.devtools import BundledProgram
from executorch.devtools.bundled_program.serialize import serialize_from_bundled_program_to_flatbuffer
from executorch.devtools.bundled_program.util import test_util
from executorch.extension.pybindings import portable_lib


def test_the_sample_runs_and_gives_what_it_should() -> None:
    program, suites = test_util.get_common_executorch_program()
    assert [(suite.method_name, len(suite.test_cases)) for suite in suites] == [
        ("encode", 10),
        ("decode", 10),
    ]
    data = serialize_from_bundled_program_to_flatbuffer(BundledProgram(program, suites))
    bundle = portable_lib._load_bundled_program_from_buffer(data)
    for suite in suites:
        for index in range(10):
            bundle.verify_result_with_bundled_expected_output(suite.method_name, index)
