"""The table of concepts: each pattern finds what it names, and nothing that only sounds like it."""

import pathlib

import pytest

from executorch.tests.architecture import concepts

ROOT = pathlib.Path(__file__).absolute().parents[2]

#: Concept -> (text that defines it, text that does not).
EXAMPLES = {
    "program clone": ("def clone_program(program): ...\n", "def copy_checkout(root): ...\n"),
    "what is mutated": (
        "def written(signature):\n    return {one.target for one in mutations(signature)}\n",
        "def written(signature):\n    return known.mutated(signature)\n",
    ),
    "what is trained": (
        "def trained(s):\n    return [o for o in s.output_specs if o.kind is OutputKind.GRADIENT_TO_PARAMETER]\n",
        "def trained(s):\n    return trained_parameters(s)\n",
    ),
    "what is constant": (
        "_STATE = (InputKind.PARAMETER, InputKind.BUFFER, InputKind.CONSTANT_TENSOR)\n",
        "_KIND = InputKind.PARAMETER\n",
    ),
    "adding a constant": (
        "def add(program, node):\n    spec = InputSpec(InputKind.CONSTANT_TENSOR, node, 'c')\n",
        "def add(program, node):\n    spec = InputSpec(InputKind.USER_INPUT, node, None)\n",
    ),
    "value refresh": ("def refresh_values(graph): ...\n", "def refresh_view(graph): ...\n"),
    "batch-norm folding": (
        "def fold(norm):\n    scale = torch.rsqrt(variance + eps)\n",
        "def layer_norm(x):\n    scale = torch.rsqrt(variance + eps)\n",
    ),
    "linear recovery": (
        "def _to_linear(graph):\n    new_call(node, _aten.linear.default, operands)\n",
        "def linear(operator):\n    operator.add('linear')\n",
    ),
    "clone removal": (
        "class RemoveCloneOps(Pass):\n    def rewrite_node(self, node): ...\n",
        "class OldRemoveClone(RemoveCloneOps):\n    pass\n",
    ),
    "pass bases": (
        "class GraphRewrite(PassBase): ...\nclass FlatPassInterface(ExportPass): ...\n",
        "class FlatPassInterface(GraphPass, ExportPass): ...\nclass FuseLinearPass(GraphPass): ...\n",
    ),
    "serializers of edge programs": (
        "def serialize(program):\n    return torch_serde.serialize(program)\n",
        "def serialize(data):\n    return bytes(data)\n",
    ),
    "code generators' schema models": ("def parse_schema(text): ...\n", "def parse_yaml(text): ...\n"),
    "ScalarType tables": (
        "NAMES = {\n    'Byte': 0,\n    'Short': 2,\n    'Double': 7,\n    'Bool': 11,\n}\n",
        "TENSOR_DTYPES = (torch.int16, torch.float64, torch.bool)\n",
    ),
    "reshape tables": ("_RESHAPES = {aten.view, aten.squeeze}\n", "_VIEW = aten.view_copy\n"),
}


def test_every_concept_has_an_example():
    assert set(EXAMPLES) == {concept.name for concept in concepts.CONCEPTS}


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_definition_is_found_by_its_own_pattern_alone(name):
    text, _ = EXAMPLES[name]
    found = concepts.find([("a.py", text)])
    assert [concept for concept, places in found.items() if places] == [name]


@pytest.mark.parametrize("name", EXAMPLES)
def test_what_only_sounds_like_it_is_not_found(name):
    _, text = EXAMPLES[name]
    assert concepts.find([("a.py", text)])[name] == []


def test_twice_means_in_two_files():
    text = "def clone_program(program): ...\nclass C:\n    def copy_graph_module(self): ...\n"
    assert concepts.defined_twice(concepts.find([("a.py", text)])) == []
    found = concepts.find([("a.py", text), ("b.py", text)])
    assert concepts.defined_twice(found) == ["program clone"]
    assert list(map(str, found["program clone"])) == [
        "a.py:1 clone_program",
        "a.py:3 copy_graph_module",
        "b.py:1 clone_program",
        "b.py:3 copy_graph_module",
    ]


def test_what_was_decided_on_is_no_second_one():
    text = EXAMPLES["code generators' schema models"][0]
    decided = ("kernels/codegen/schema.py", text)
    assert concepts.defined_twice(concepts.find([("codegen/parse.py", text), decided])) == []
    found = concepts.find([("codegen/parse.py", text), decided, ("exir/parse.py", text)])
    assert concepts.defined_twice(found) == ["code generators' schema models"]


@pytest.mark.parametrize("concept", concepts.CONCEPTS, ids=lambda concept: concept.name)
def test_what_was_decided_on_is_there(concept):
    for path in concept.decided:
        text = (ROOT / path).read_text()
        assert concepts.find([(path, text)])[concept.name], (
            f"{path} defines nothing of it; take its line away"
        )


def test_what_stands_inside_functions_is_no_definition():
    text = "def f():\n    def clone_program(program): ...\n"
    assert concepts.find([("a.py", text)])["program clone"] == []
