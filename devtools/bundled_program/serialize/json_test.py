"""Bundled programs as JSON."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from executorch.devtools.bundled_program import schema
from executorch.devtools.bundled_program.serialize import (
    convert_from_flatbuffer,
    convert_to_flatbuffer,
    deserialize_from_flatbuffer_to_bundled_program,
    deserialize_from_json_to_bundled_program,
    serialize_from_bundled_program_to_json,
)
from executorch.schema.scalar_type import ScalarType


def _bundle() -> schema.BundledProgram:
    tensor = schema.Tensor(
        scalar_type=ScalarType.FLOAT, sizes=[2], data=bytes([0, 0, 128, 63] * 2), dim_order=[0]
    )
    values = [schema.Value(item) for item in (tensor, schema.Int(-3), schema.Bool(True), schema.Double(0.5))]
    case = schema.BundledMethodTestCase(
        inputs=values, expected_outputs=[schema.Value(schema.Double(math.inf))]
    )
    suite = schema.BundledMethodTestSuite(method_name="forward", test_cases=[case])
    return schema.BundledProgram(version=0, method_test_suites=[suite], program=b"\x01\xff")


def test_json_and_back() -> None:
    text = serialize_from_bundled_program_to_json(_bundle())
    assert deserialize_from_json_to_bundled_program(text) == _bundle()
    data = json.loads(text)
    assert data["program"] == [1, 255]
    value = data["method_test_suites"][0]["test_cases"][0]["inputs"][1]
    assert value == {"val_type": "Int", "val": {"int_val": -3}}


def test_a_file_and_back() -> None:
    flatbuffer = convert_to_flatbuffer(serialize_from_bundled_program_to_json(_bundle()))
    assert deserialize_from_flatbuffer_to_bundled_program(flatbuffer) == _bundle()
    assert deserialize_from_json_to_bundled_program(convert_from_flatbuffer(flatbuffer)) == _bundle()


def test_enums_may_be_names() -> None:
    data = json.loads(serialize_from_bundled_program_to_json(_bundle()))
    data["method_test_suites"][0]["test_cases"][0]["inputs"][0]["val"]["scalar_type"] = "FLOAT"
    assert deserialize_from_json_to_bundled_program(json.dumps(data)) == _bundle()


def _with(key: str, value: Any) -> str:
    data = json.loads(serialize_from_bundled_program_to_json(_bundle()))
    data[key] = value
    return json.dumps(data)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON"),
        ("[]", "BundledProgram should be an object"),
        (_with("version", "1"), "BundledProgram.version should be a int"),
        (_with("program", [256]), "BundledProgram.program should be a bytes"),
        (_with("method_test_suites", 3), "method_test_suites should be a list"),
        (_with("author", 1), r"no members \['author'\]"),
        (
            _with(
                "method_test_suites",
                [{"method_name": "f", "test_cases": [{"inputs": [{"val_type": "Text", "val": {}}]}]}],
            ),
            r"inputs\[0\].val_type should be one of \['Bool', 'Double', 'Int', 'Tensor'\]",
        ),
    ],
)
def test_what_is_no_bundled_program(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        deserialize_from_json_to_bundled_program(text)
