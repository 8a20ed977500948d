"""Calls of each form are found with the types of their schemas; what is cut off, damaged or not offered is no call."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from executorch.extension.llm.tool_calls.detector import Detected, Detector
from executorch.extension.llm.tool_calls.gemma import GemmaToolCallDetector
from executorch.extension.llm.tool_calls.hermes import HermesDetector
from executorch.extension.llm.tool_calls.tagged import AtemToolCallDetector, QwenFunctionCallDetector
from executorch.extension.llm.tool_calls.values import typed

TOOLS = {
    "find": {"properties": {"text": {"type": "string"}, "most": {"type": "integer"}}},
    "wait": {"properties": {"hours": {"type": "number"}, "loud": {"type": "boolean"}}},
}


def _qwen(name: str, **arguments: str) -> str:
    inner = "".join(f"<parameter={key}>\n{value}\n</parameter>\n" for key, value in arguments.items())
    return f"<tool_call>\n<function={name}>\n{inner}</function>\n</tool_call>"


def _atem(name: str, **arguments: str) -> str:
    inner = "".join(
        f'<atem:parameter name="{key}">{value}</atem:parameter>\n' for key, value in arguments.items()
    )
    return (
        f'<atem:function_calls>\n<atem:invoke name="{name}">\n{inner}</atem:invoke>\n</atem:function_calls>'
    )


def _hermes(name: str, **arguments: str) -> str:
    values: dict[str, Any] = {
        key: typed(value, TOOLS.get(name, {"properties": {}})["properties"].get(key, {}))
        for key, value in arguments.items()
    }
    return f"<tool_call>\n{json.dumps({'name': name, 'arguments': values})}\n</tool_call>"


def _gemma(name: str, **arguments: str) -> str:
    quote = '<|"|>'
    values = [
        f"{key}:{quote}{value}{quote}" if key == "text" else f"{key}:{value}"
        for key, value in arguments.items()
    ]
    return f"<|tool_call>call:{name}{{{','.join(values)}}}<tool_call|>"


FORMS = {
    "hermes": (HermesDetector(), _hermes),
    "qwen": (QwenFunctionCallDetector(), _qwen),
    "gemma": (GemmaToolCallDetector(), _gemma),
    "atem": (AtemToolCallDetector(), _atem),
}
each_form = pytest.mark.parametrize(("detector", "written"), FORMS.values(), ids=FORMS)


@each_form
def test_calls_are_found_with_their_types(detector: Detector, written: Any) -> None:
    first = written("find", text="1 </parameter> </tool_call> é", most="7")
    found = detector.detect_and_parse(f"I look. {first}\n{written('wait', hours='1.5', loud='true')}", TOOLS)
    assert found.normal_text == "I look."
    assert [(call.name, call.tool_index) for call in found.calls] == [("find", 0), ("wait", 1)]
    assert [json.loads(call.arguments) for call in found.calls] == [
        {"text": "1 </parameter> </tool_call> é", "most": 7},
        {"hours": 1.5, "loud": True},
    ]


@each_form
def test_no_argument_and_no_call(detector: Detector, written: Any) -> None:
    assert json.loads(detector.detect_and_parse(written("find"), TOOLS).calls[0].arguments) == {}
    assert detector.detect_and_parse("No, 1 < 2. ", TOOLS) == Detected("No, 1 < 2. ")


@each_form
def test_a_tool_that_was_not_offered_makes_all_words(detector: Detector, written: Any) -> None:
    text = f"So: {written('find', text='a')}{written('burn', text='b')}"
    assert detector.detect_and_parse(text, TOOLS) == Detected(text)


@each_form
def test_no_beginning_of_a_call_is_one(detector: Detector, written: Any) -> None:
    whole = written("find", text="a b", most="3")
    complete = {"qwen": "</function>", "atem": "</atem:function_calls>"}
    for length in range(len(whole)):
        cut = whole[:length]
        found = detector.detect_and_parse(f"So {cut}", TOOLS)
        assert not found.calls or any(end in cut for end in complete.values())
        # What the marks begin with may be there, as anybody may write it; a mark may not.
        assert not any(
            mark in found.normal_text for mark in ("tool_call>", "function=", "atem:function_calls>")
        )
        both = detector.detect_and_parse(f"So {whole}{cut}", TOOLS)
        assert len(both.calls) <= 2


@pytest.mark.parametrize(
    ("raw", "schema", "value"),
    [
        ("007", {"type": "string"}, "007"),
        ("007", {"type": "integer"}, 7),
        ("1_000", {"type": "integer"}, "1_000"),
        ("1.0", {"type": "integer"}, "1.0"),
        ("9" * 5000, {"type": "integer"}, "9" * 5000),
        ("3", {"type": "number"}, 3),
        ("1e999", {"type": "number"}, "1e999"),
        ("NaN", {"type": "number"}, "NaN"),
        (" False", {"type": "boolean"}, False),
        ("1", {"type": "boolean"}, "1"),
        ("null", {"type": ["integer", "null"]}, None),
        ("x", {"type": ["integer", "string"]}, "x"),
        ("[1]", {"type": "array"}, [1]),
        ("[1]", {"type": "object"}, "[1]"),
        ("[Infinity]", {}, "[Infinity]"),
        ("1e999", {}, "1e999"),
        ("[" * 100_000, {}, "[" * 100_000),
        ("word", {}, "word"),
    ],
)
def test_values(raw: str, schema: dict[str, Any], value: Any) -> None:
    found = typed(raw, schema)
    assert found == value and type(found) is type(value)


def test_numbers_that_json_has_not_are_no_call() -> None:
    for number in ("NaN", "-Infinity", "1e999"):
        text = f'<tool_call>{{"name": "wait", "arguments": {{"hours": {number}}}}}</tool_call>'
        assert HermesDetector().detect_and_parse(text, TOOLS) == Detected("")


@pytest.mark.parametrize("call", ['["find"]', '{"name": 3}', '{"name": "find", "arguments": "a"}', "{"])
def test_json_that_is_no_call(call: str) -> None:
    found = HermesDetector().detect_and_parse(f"So <tool_call>{call}</tool_call>", TOOLS)
    assert found == Detected("So")


def test_arguments_by_their_other_name() -> None:
    text = '<tool_call>{"name": "find", "arguments": null, "parameters": {"most": 2}}</tool_call>'
    assert json.loads(HermesDetector().detect_and_parse(text, TOOLS).calls[0].arguments) == {"most": 2}


def test_values_of_gemma_in_each_other() -> None:
    text = '<|tool_call>call:find{text:[{<|"|>a<|"|>:1,b:[]},word,<|"|>1<|"|>],most:{}}<tool_call|>'
    (call,) = GemmaToolCallDetector().detect_and_parse(text, TOOLS).calls
    assert json.loads(call.arguments) == {"text": [{"a": 1, "b": []}, "word", "1"], "most": {}}
    deep = f"<|tool_call>call:find{{text:{'[' * 100_000}"
    assert GemmaToolCallDetector().detect_and_parse(deep, TOOLS) == Detected("")


def test_headers_of_messages_are_not_said() -> None:
    text = f" to=self<|message|>Look it up.<|eom|><|start|>assistant to=find<|message|>{_atem('find')}<|eom|>"
    found = AtemToolCallDetector().detect_and_parse(text, TOOLS)
    assert found.normal_text == "Look it up." and len(found.calls) == 1


def test_long_damaged_texts_take_no_long() -> None:
    begun = time.perf_counter()
    for mark in (
        "<tool_call>",
        "<function=find>",
        "<parameter=text>a</parameter>",
        "<|tool_call>call:find{",
        "<atem:invoke ",
    ):
        for detector, _ in FORMS.values():
            detector.detect_and_parse(mark * 20_000, TOOLS)
            detector.detect_and_parse("<function=find>" + mark * 20_000, TOOLS)
    assert time.perf_counter() - begun < 60
