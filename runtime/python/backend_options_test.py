"""Options of backends: what does not fit is refused before a backend sees it, with the option's name."""

import pytest

from executorch.runtime import ExecuTorchError, InputTypeError, InvalidInputError, Runtime
from executorch.runtime.python.programs_for_tests import AddProgram


@pytest.fixture
def program():
    return Runtime.get().load_program(AddProgram().build())


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"Some": {"ratio": 0.5}}, InputTypeError, "options of backend 'Some': ratio.*found a float"),
        ({"Some": {"path": "x" * 256}}, InvalidInputError, "path.*256 bytes, there is room for 255"),
        ({"Some": {"path": "a\0b"}}, InvalidInputError, "none of them zero"),
        ({"Some": {"k" * 64: 1}}, InvalidInputError, "a key.*64 bytes, there is room for 63"),
        ({"Some": {"count": 2**31}}, InvalidInputError, "count.*more than 32 bits"),
        ({"Some": {7: True}}, InputTypeError, "keys of options are texts"),
        ({"S" * 64: {}}, InvalidInputError, "the name.*64 bytes"),
        ({3: {}}, InputTypeError, "expected a name and a dictionary"),
        ({f"Backend{i}": {} for i in range(9)}, InvalidInputError, "No room for options of backend Backend8"),
    ],
)
def test_what_does_not_fit_is_refused(program, options, kind, message):
    with pytest.raises(kind, match="(?s)" + message):
        program.load_method("forward", backend_options=options)


def test_what_fits_is_taken(program):
    values = {"k" * 63: "x" * 255, "count": -(2**31), "on": True, "empty": ""}
    for options in (None, {}, {"Some": values}, {f"Backend{i}": values for i in range(8)}):
        assert program.load_method("forward", backend_options=options).metadata.name() == "forward"


def test_options_need_a_backend():
    registry = Runtime.get().backend_registry
    with pytest.raises(ExecuTorchError, match=r"(?s)options of backend 'Absent'.*is not registered"):
        registry.set_options("Absent", {"count": 1})
    with pytest.raises(InputTypeError, match="found a list"):
        registry.set_options("Absent", {"count": [1]})
