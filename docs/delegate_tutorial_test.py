"""The tutorial's Python runs, in order, as one program; its C++ is what the backend's files say."""

import pathlib
import re

# First: the tutorial's last block needs the runtime with the backend inside.
import executorch.examples.delegate.bindings_with_bytecode  # noqa: F401

PAGE = pathlib.Path(__file__).with_name("delegate-tutorial.md")
ROOT = PAGE.parent.parent
CPP = re.compile(r"<!-- cpp: (\S+) (\w+) -->\n```cpp\n(.*?)```", re.DOTALL)


def region(path, name):
    """The lines between ``// tutorial: NAME`` and ``// tutorial: end`` of a file, without their common indent."""
    lines = (ROOT / path).read_text().splitlines()
    start = next(i for i, line in enumerate(lines) if line.strip() == f"// tutorial: {name}")
    end = next(i for i in range(start, len(lines)) if lines[i].strip() == "// tutorial: end")
    body = lines[start + 1 : end]
    indent = min(len(line) - len(line.lstrip()) for line in body if line.strip())
    return "\n".join(line[indent:] for line in body) + "\n"


def test_the_python_runs(capsys):
    namespace = {"__name__": "tutorial"}
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert len(blocks) == 5
    for block in blocks:
        exec(compile(block, PAGE.name, "exec"), namespace)
    printed = capsys.readouterr().out
    assert "backend_id: BytecodeBackend" in printed
    assert re.search(r"aten.add.Tensor .*broadcasts", printed)
    assert len(namespace["outputs"]) == 2


def test_the_cpp_is_the_backends():
    found = CPP.findall(PAGE.read_text())
    assert [name for _, name, _ in found] == ["init", "execute", "num_outputs", "destroy", "registration"]
    for path, name, text in found:
        assert text == region(path, name), f"{name} in {PAGE.name} is not what {path} says"


if __name__ == "__main__":
    # Writes the C++ of the page anew.
    PAGE.write_text(
        CPP.sub(lambda m: f"<!-- cpp: {m[1]} {m[2]} -->\n```cpp\n{region(m[1], m[2])}```", PAGE.read_text())
    )
