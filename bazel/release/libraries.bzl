"""What each library ships as: the one list that releases, digests and the tests of consumers read.

Python reads the literal below with `ast.literal_eval`: keep it one dict of plain lists of plain strings. A test compares
it with the `microlibrary` of each directory.
"""

LIBRARIES = {
    "backends": ["wheel"],
    "backends/apple": ["wheel"],
    "backends/arm": ["wheel"],
    "backends/cadence": ["wheel"],
    "backends/cortex_m": ["wheel"],
    "backends/openvino": ["wheel"],
    "backends/vulkan": ["wheel"],
    "backends/xnnpack": ["wheel", "dist"],
    "codegen": ["wheel"],
    "devtools": ["wheel", "dist"],
    "dialects": ["wheel"],
    "emitter": ["wheel"],
    "examples/apple": ["wheel"],
    "examples/models": ["wheel"],
    "examples/models/llama": ["wheel"],
    "examples/openvino": ["wheel"],
    "examples/vulkan": ["wheel"],
    "examples/xnnpack": ["wheel"],
    "exir": ["wheel"],
    "export": ["wheel"],
    "extension": ["wheel", "dist"],
    "extension/audio": ["wheel"],
    "extension/export_util": ["wheel"],
    "extension/flat_tensor": ["wheel"],
    "extension/llm/export": ["wheel"],
    "extension/llm/tokenizers": ["wheel"],
    "ir": ["wheel"],
    "kernels": ["wheel", "dist"],
    "memory_planning": ["wheel"],
    "partitioner": ["wheel"],
    "passes": ["wheel"],
    "runtime": ["wheel", "dist"],
    "schema": ["wheel"],
    "util": ["wheel"],
    "version": ["wheel"],
}

def artefacts(kind):
    """Labels of all wheels (`kind` "wheel") or of all C++ distributions ("dist")."""
    return ["//{}:{}".format(library, kind) for library, kinds in LIBRARIES.items() if kind in kinds]

def files(name, kind):
    """Labels of a file that each library has (README.md, VERSION), of those that ship as a wheel or as a distribution."""
    return ["//{}:{}".format(library, name) for library, kinds in LIBRARIES.items() if kind in kinds]
