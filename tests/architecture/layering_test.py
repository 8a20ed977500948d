"""C++ libraries depend themselves on what their files include."""

import json
import pathlib

from executorch.tests.architecture import cc_layers

ROOT = pathlib.Path(__file__).absolute().parents[2]
LIBRARIES = ("runtime", "kernels", "extension", "devtools", "backends/xnnpack")


def descriptions():
    """Bazel's, next to the sources in the test's runfiles; in a checkout those of the last build."""
    for library in LIBRARIES:
        found = [path / library / "layers.jsonl" for path in (ROOT, ROOT / "bazel-bin")]
        yield from next(path for path in found if path.is_file()).read_text().splitlines()


def test_includes_stand_among_the_dependencies():
    assert "\n".join(cc_layers.undeclared(ROOT, descriptions())) == ""


def test_all_libraries_are_described():
    labels = {json.loads(line)["label"] for line in descriptions()}
    for library in LIBRARIES:
        assert sum(label.startswith(f"//{library}") for label in labels) >= 10


def described(label, sources, offered=()):
    return json.dumps({"label": label, "sources": list(sources), "offered": list(offered)})


def test_what_is_reached_through_another_library_is_found(tmp_path: pathlib.Path):
    files = {
        "a/a.h": "",
        "b/b.h": "#include <executorch/a/a.h>\n",
        "c/c.cc": "#include <executorch/b/b.h>\n\n#include <executorch/a/a.h>\n",
        "c/private.h": "#include <executorch/b/b.h>\n#include <executorch/c/own.h>\n",
    }
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    lines = [
        described("//a:a", ["a/a.h"]),
        described("//b:b", ["b/b.h"], ["a/a.h"]),
        described("//c:c", ["c/c.cc", "c/own.h"], ["b/b.h", "c/private.h"]),
        described("//c:c_private_headers", ["c/private.h", "c/generated.h"]),
    ]
    assert list(cc_layers.undeclared(tmp_path, lines)) == ["c/c.cc:3: //c:c does not depend on a/a.h itself"]
