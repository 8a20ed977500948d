"""The dependency edges of the house: one row per library, and per room where a library is finer inside.

`microlibrary` reads this table to pin what a wheel or a distribution requires; `//tests/architecture` reads it to
prove that BUILD files, Python imports and C++ includes have these edges and no others. A row says what the code
of a directory may use besides itself:

* `py`: Python imports (`executorch.<library>`) and deps of Python targets.
* `cc`: C++ includes (`<executorch/<library>/...>`) and deps of C++ targets.
* `tests`: what its tests may use on top of that, in either language.
* `by_name`: what its Python may import by name (`importlib.import_module`) when a user asks for what that library
  offers, and does without otherwise; no wheel requires it, and it may stand above.

Python edges are what a wheel requires, so only those stand here that are used; the design allows more (level 1 may use
all of level 0, and so on up), and a library that needs one of these adds it.

The longest row that is a prefix of a file's path is the file's row. An edge to a library covers its rooms, except
rooms that stand above the one that asks. Edges are not inherited: what is used directly is listed directly.

Python reads the literal below with `ast.literal_eval`: keep it one dict of plain lists of plain strings.
"""

EDGES = {
    # Level 0: independent of each other.
    # In C++ the schema's hand-written readers speak the core's vocabulary (Error, Result, log).
    "schema": {"py": [], "cc": ["runtime/platform", "runtime/core"]},
    "dialects": {"py": [], "cc": []},
    "version": {"py": [], "cc": []},
    # Level 1: the graph toolkit, which all that work on programs share.
    "ir": {"py": ["dialects"], "cc": []},
    # Level 2: each knows what is below.
    "passes": {"py": ["dialects", "ir"], "cc": []},
    "partitioner": {
        "py": ["schema", "dialects", "ir"],
        "cc": [],
        # Whole programs, run with the demo backends.
        "tests": ["exir", "runtime", "backends"],
    },
    "memory_planning": {"py": ["dialects", "ir"], "cc": []},
    # Level 3 and the front door, the only library that knows all stages.
    "emitter": {"py": ["schema", "dialects", "ir", "memory_planning"], "cc": []},
    "exir": {
        "py": ["schema", "dialects", "ir", "passes", "partitioner", "memory_planning", "emitter"],
        "cc": [],
        "tests": ["runtime"],
        # `generate_etrecord=True` keeps a record, whose format is the developer tools'.
        "by_name": ["devtools"],
    },
    # By recipe, from model to file; a session can run what it made.
    "export": {"py": ["schema", "dialects", "partitioner", "exir", "runtime"], "cc": []},
    # Ahead of time in Python, run time in C++; one row for all until a backend needs one of its own.
    "backends": {
        "py": ["schema", "dialects", "ir", "passes", "partitioner"],
        "cc": ["runtime"],
        # Testers show graphs; test models are those of examples.
        "tests": ["exir", "runtime", "extension", "kernels", "devtools", "examples/models"],
    },
    # What backends' tests have in common; graphs and programs that are written by hand are for users' passes as well.
    "backends/test": {
        "py": ["dialects", "passes", "exir"],
        "cc": ["runtime"],
        "tests": ["schema", "ir", "partitioner", "runtime", "extension", "kernels", "devtools", "examples/models", "backends"],
    },
    # Models of Core ML, for which coremltools is imported when something is lowered, and graphs of MPS. Core ML's delegate is
    # compiled here as the Objective-C for applications is; what a Mac runs it with loads programs by `extension`.
    "backends/apple": {
        "py": ["schema", "dialects", "ir", "partitioner", "backends"],
        "cc": ["runtime", "extension"],
        "tests": [
            "exir",
            "export",
            "extension/apple",
            "backends/apple/coreml/recipes",
            "backends/apple/mps/recipes",
        ],
    },
    # Offers what the backend can do to the export library.
    "backends/apple/coreml/recipes": {"py": ["backends/apple", "export"], "cc": []},
    "backends/apple/mps/recipes": {"py": ["backends/apple", "export", "partitioner"], "cc": []},
    # Offers what the backend can do to the export library.
    "backends/arm/recipes": {"py": ["backends/arm", "backends/cortex_m", "exir", "export"], "cc": [], "tests": ["partitioner"]},
    # The parts of one family, a wheel of their own: they stand on the passes that backends share.
    "backends/arm": {
        "py": ["dialects", "ir", "partitioner", "passes", "backends"],
        "cc": ["runtime", "backends/vk"],
        "tests": ["exir", "export", "extension", "backends/arm/recipes"],
        # Whether this machine has a device for VGF.
        "by_name": ["runtime"],
    },
    # Opens Vulkan's devices, for shaders and for VGF's graphs.
    "backends/vk": {"py": [], "cc": ["runtime"]},
    # Stands on the passes that backends share.
    "backends/vulkan": {
        "py": ["schema", "dialects", "ir", "passes", "partitioner", "backends"],
        "cc": ["runtime", "backends/vk"],
        "tests": [
            "exir",
            "export",
            "runtime",
            "extension",
            "extension/llm/cache",
            "extension/llm/models",
            "kernels",
            "backends/vulkan/recipes",
        ],
    },
    # Offers what the backend can do to the export library.
    "backends/vulkan/recipes": {"py": ["backends/vulkan", "export"], "cc": []},
    # Kernels for microcontrollers and what leads to them; the quantizer is the family's.
    "backends/cortex_m": {
        "py": ["dialects", "ir", "passes", "backends", "backends/arm"],
        "cc": ["runtime", "kernels"],
        "tests": ["exir", "extension", "kernels"],
        # The documented settings of the front door.
        "by_name": ["exir"],
    },
    # Operators for Xtensa and what leads to them.
    "backends/cadence": {
        "py": ["dialects", "ir", "passes", "memory_planning", "backends"],
        "cc": ["runtime", "kernels"],
        "tests": ["exir", "runtime", "extension", "kernels", "backends/cadence/aot"],
    },
    # Documented functions from a model to a program, and the published names beside them.
    "backends/cadence/aot": {
        "py": ["dialects", "passes", "memory_planning", "exir", "devtools", "backends", "backends/cadence"],
        "cc": [],
    },
    "backends/xnnpack": {
        "py": ["schema", "dialects", "ir", "passes", "partitioner"],
        "cc": ["runtime", "extension"],
        "tests": ["exir", "emitter", "runtime", "extension", "kernels"],
    },
    "backends/openvino": {
        "py": ["dialects", "ir", "partitioner"],
        "cc": ["runtime"],
        "tests": ["exir", "export", "runtime", "extension", "kernels", "backends", "backends/openvino/recipes"],
    },
    # Offers what the backend can do to the export library.
    "backends/openvino/recipes": {"py": ["backends/openvino", "export", "partitioner"], "cc": []},
    # Documented functions that return settings of the front door; it is imported when they are called.
    "backends/xnnpack/utils": {"py": ["backends/xnnpack", "dialects", "ir", "partitioner", "exir"], "cc": []},
    "backends/xnnpack/partition/graphs": {"py": ["exir"], "cc": []},
    # Offers what the backend can do to the export library.
    "backends/xnnpack/recipes": {
        "py": ["backends/xnnpack", "backends/xnnpack/utils", "export"],
        "cc": [],
        "tests": ["exir"],
    },
    "devtools": {
        "py": ["schema", "dialects", "partitioner", "emitter", "exir"],
        "cc": ["schema", "runtime"],
        "tests": ["runtime", "extension", "kernels", "backends/xnnpack"],
    },
    # Can run what it made, in one of its functions; the runtime is imported when that is called.
    "devtools/intermediate_output_tap": {
        "py": ["dialects", "exir", "runtime"],
        "cc": [],
        "tests": ["backends/xnnpack"],
    },
    # The documented generators, for builds of their own; reads programs.
    "codegen": {"py": ["schema"], "cc": []},
    # What generated sources include, with gaps that are filled by the generator.
    "codegen/templates": {"py": [], "cc": ["runtime"]},
    "util": {"py": ["memory_planning"], "cc": [], "tests": ["exir"]},
    # The row of the library is what its distribution requires: its public headers and its archives need nothing.
    "runtime": {
        "py": [],
        "cc": [],
        "tests": ["runtime/platform", "runtime/core", "runtime/kernel", "runtime/backend", "runtime/executor"],
    },
    "runtime/platform": {"py": [], "cc": []},
    "runtime/core": {"py": [], "cc": ["runtime/platform"]},
    "runtime/kernel": {"py": [], "cc": ["runtime/platform", "runtime/core"]},
    "runtime/backend": {"py": [], "cc": ["runtime/platform", "runtime/core"]},
    "runtime/executor": {
        "py": [],
        "cc": ["schema", "runtime/platform", "runtime/core", "runtime/kernel", "runtime/backend"],
        "tests": ["extension", "kernels"],
    },
    "runtime/python": {
        "py": [],
        "cc": [
            "runtime",
            "kernels",
            "extension",
            "extension/flat_tensor",
            "extension/llm/custom_ops",
            "devtools",
            "backends",
            "backends/arm",
            "backends/cadence",
            "backends/openvino",
            "backends/vulkan",
            "backends/xnnpack",
        ],
        "tests": ["schema", "extension", "emitter", "exir"],
    },
    "kernels": {"py": ["schema", "dialects"], "cc": ["runtime"], "tests": ["extension"]},
    "extension": {
        "py": ["runtime"],
        "cc": ["schema", "runtime", "extension/flat_tensor"],
        "tests": ["schema", "kernels", "exir", "extension/llm/custom_ops", "extension/training/examples"],
    },
    # Java for applications, and libraries of the natives with all that an application's library has.
    "extension/android": {
        "py": [],
        "cc": ["runtime", "kernels", "extension", "extension/llm/custom_ops", "backends/vulkan", "backends/xnnpack", "devtools"],
        "tests": ["exir", "backends/xnnpack", "extension/training/examples"],
    },
    # Objective-C and Swift for applications, and the frameworks that they link.
    "extension/apple": {
        "py": [],
        "cc": ["runtime", "kernels", "extension", "extension/llm/custom_ops", "backends/xnnpack"],
        "tests": ["exir", "extension"],
    },
    # JavaScript for pages and Node: WebAssembly out of the runtime and all kernels. Its tests run Java's programs as well.
    "extension/wasm": {
        "py": [],
        "cc": ["runtime", "extension", "extension/flat_tensor", "kernels", "backends/xnnpack"],
        "tests": ["exir", "extension/android", "backends/xnnpack"],
    },
    # In Python the documented path of the emitter's `.ptd` files, a wheel of its own: the rest of `extension` runs
    # programs and needs nothing of the compiler.
    "extension/flat_tensor": {
        "py": ["schema", "partitioner", "emitter"],
        "cc": ["schema", "runtime"],
        "tests": ["extension"],
    },
    # From a module to a file in one call: above the front door, a wheel of its own for the same reason.
    "extension/export_util": {"py": ["exir"], "cc": [], "tests": ["runtime"]},
    # Kernels of operators that language models have, made of what the portable kernels share.
    "extension/llm/custom_ops": {
        "py": [],
        "cc": ["runtime", "kernels"],
        "tests": ["exir", "kernels", "extension", "extension/llm/cache", "extension/llm/models"],
    },
    # Caches as modules of PyTorch, written with those operators.
    "extension/llm/cache": {"py": ["extension/llm/custom_ops"], "cc": [], "tests": ["exir", "runtime"]},
    # Decoders, with attention over those caches.
    "extension/llm/models": {
        "py": ["extension/llm/cache", "extension/llm/custom_ops"],
        "cc": [],
        "tests": ["exir", "runtime"],
    },
    # The C++ tokenizers for Python, importable as pytorch_tokenizers: a wheel of its own, as documented.
    "extension/llm/tokenizers": {"py": [], "cc": ["runtime", "runtime/python", "extension"]},
    # From a checkpoint to a program: above the front door, a wheel of its own for the reason of `extension/export_util`.
    "extension/llm/export": {
        "py": [
            "passes",
            "partitioner",
            "memory_planning",
            "exir",
            "devtools",
            "util",
            "extension/llm/cache",
            "extension/llm/custom_ops",
            "extension/llm/models",
        ],
        "cc": [],
        "tests": [
            "runtime",
            "extension",
            "backends/apple",
            "backends/arm",
            "backends/openvino",
            "backends/vulkan",
            "backends/xnnpack",
        ],
        # The backend that the configuration names.
        "by_name": ["backends/apple", "backends/arm", "backends/openvino", "backends/vulkan", "backends/xnnpack"],
    },
    # What published code imports from the examples of released versions.
    "examples/models": {
        "py": ["extension", "extension/llm/models"],
        "cc": ["runtime", "kernels", "extension", "extension/llm/custom_ops", "backends/xnnpack"],
        "tests": ["exir", "extension", "extension/audio"],
    },
    # And the documented command that runs a language model.
    "examples/models/llama": {
        "py": ["examples/models", "extension/llm/cache", "extension/llm/export", "extension/llm/models"],
        "cc": ["runtime", "kernels", "extension", "extension/llm/custom_ops", "backends/xnnpack"],
        "tests": ["exir", "extension"],
    },
    # The documented commands that export one of those models.
    "examples/apple": {
        "py": [
            "backends/apple",
            "devtools",
            "dialects",
            "emitter",
            "examples/models",
            "exir",
            "extension/export_util",
            "partitioner",
        ],
        "cc": [],
        "tests": [],
    },
    "examples/openvino": {
        "py": ["backends/openvino", "dialects", "exir", "extension/export_util", "partitioner", "runtime"],
        "cc": [],
        "tests": [],
    },
    "examples/vulkan": {
        "py": ["backends/vulkan", "examples/models", "exir", "extension/export_util"],
        "cc": [],
        "tests": ["partitioner", "schema"],
    },
    "examples/xnnpack": {
        "py": ["backends/xnnpack", "examples/models", "exir", "extension/export_util", "runtime"],
        "cc": [],
        # --etrecord
        "tests": ["devtools"],
    },
    # A model to train, exported: above the front door; no wheel holds it.
    "extension/training/examples": {"py": ["exir"], "cc": []},
    # Exports the processor as a program, a wheel of its own for the same reason.
    "extension/audio": {
        "py": ["exir"],
        "cc": [],
        "tests": ["runtime", "backends/xnnpack"],
        # The backend that the caller names.
        "by_name": ["backends/xnnpack"],
    },
    "extension/executor_runner": {
        "py": [],
        "cc": [
            "runtime",
            "kernels",
            "extension",
            "backends/arm",
            "backends/openvino",
            "backends/vulkan",
            "backends/xnnpack",
            "devtools",
        ],
        "tests": [],
    },
    # Test cases of a `.bpte` file, run through Module; a target of its own for those who want that.
    "extension/module/bundled": {
        "py": [],
        "cc": ["schema", "runtime", "extension", "devtools"],
        "tests": [],
    },
}
