"""Compiles GLSL into SPIR-V, validates it, and writes all of it as one C++ table.

    compile_shaders.py compile PART TOOLS GLSL
    compile_shaders.py table OUT PART...

A part is what one file is compiled to, as JSON: a file that changes is compiled alone. TOOLS is the tree that has glslc, spirv-val and the
libraries they load. The first line of a shader names its variants:
`// variants: float half compare:float,COMPARE` makes NAME_float, NAME_half (with VARIANT_FLOAT, VARIANT_HALF defined) and NAME_compare
(with VARIANT_FLOAT and COMPARE); and each of them once more with TEXELS, as NAME_texel, if it reads something. A file without such a line is included by others.
"""

from __future__ import annotations

import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator

_LIBRARIES = ("lib/x86_64-linux-gnu", "usr/lib/x86_64-linux-gnu")

# SPIR-V: words before the instructions, the instruction that asks for a capability, and those that shaders may ask for:
# Matrix, Shader, SampledBuffer, and what the runtime looks for: StorageBuffer16BitAccess, DotProductInput4x8BitPacked and DotProduct.
_HEADER_WORDS, _OP_CAPABILITY = 5, 17
_CAPABILITIES = {0, 1, 46, 4433, 6018, 6019}

_HEAD = """\
#include <executorch/backends/vulkan/runtime/shaders/shaders.h>

namespace executorch {
namespace backends {
namespace vulkan {
namespace {
"""

_TAIL = """\
}}  // namespace

const Shader* find_shader(const std::string& name) {{
  static const Shader shaders[] = {{
{rows}
  }};
  for (const Shader& shader : shaders) {{
    if (name == shader.name) {{
      return &shader;
    }}
  }}
  return nullptr;
}}

}}  // namespace vulkan
}}  // namespace backends
}}  // namespace executorch
"""


def variants(source: pathlib.Path) -> Iterator[tuple[str, list[str]]]:
    """Names and definitions of what a file is compiled to."""
    first = source.read_text().split("\n", 1)[0]
    if not first.startswith("// variants: "):
        return
    for entry in first.removeprefix("// variants: ").split():
        name, _, words = entry.partition(":")
        dtype, *definitions = (words or name).split(",")
        yield f"{source.stem}_{name}", [f"VARIANT_{dtype.upper()}", *definitions]


def run(tools: pathlib.Path, program: str, arguments: list[str]) -> None:
    """Runs a tool with the loader and libraries of its own tree."""
    loader = tools / _LIBRARIES[0] / "ld-linux-x86-64.so.2"
    path = ":".join(str(tools / directory) for directory in _LIBRARIES)
    command = [str(loader), "--library-path", path, str(tools / "usr/bin" / program), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{program} {' '.join(arguments)}\n{done.stdout}{done.stderr}")


def compiled(tools: pathlib.Path, source: pathlib.Path, definitions: list[str]) -> bytes:
    """The validated SPIR-V of one variant."""
    with tempfile.TemporaryDirectory() as scratch:
        out = str(pathlib.Path(scratch) / "spv")
        options = ["-fshader-stage=compute", "-std=450", "--target-env=vulkan1.1", "-O"]
        run(tools, "glslc", [*options, *(f"-D{one}" for one in definitions), str(source), "-o", out])
        run(tools, "spirv-val", ["--target-env", "vulkan1.1", out])
        return pathlib.Path(out).read_bytes()


def formats(tools: pathlib.Path, source: pathlib.Path, definitions: list[str]) -> str:
    """A character for each buffer, as shaders.h says."""
    with tempfile.TemporaryDirectory() as scratch:
        out = pathlib.Path(scratch) / "text"
        arguments = ["-fshader-stage=compute", "-std=450", "-E", *(f"-D{one}" for one in definitions)]
        run(tools, "glslc", [*arguments, str(source), "-o", str(out)])
        text = out.read_text()
    stored = {int(number): "." for number in re.findall(r"layout\(std430, binding = (\d+)\)", text)}
    texels = {int(at): chr(int(number)) for at, number in re.findall(r"format_(\d+) = (\d+)", text)}
    found = stored | texels
    return "".join(found[at] for at in range(len(found)))


def check_capabilities(name: str, words: tuple[int, ...]) -> None:
    """Refuses what not every device has: arithmetic on 16-bit floats, 8-bit and 64-bit numbers."""
    at = _HEADER_WORDS
    while words[at] & 0xFFFF == _OP_CAPABILITY:
        if words[at + 1] not in _CAPABILITIES:
            sys.exit(f"{name}: SPIR-V capability {words[at + 1]} is none that devices must have")
        at += words[at] >> 16


def shaders(tools: pathlib.Path, source: pathlib.Path) -> Iterator[dict]:
    """Name, words and formats of each thing that a file is compiled to."""
    for name, definitions in variants(source):
        for suffix, more in (("", []), ("_texel", ["TEXELS"])):
            kinds = formats(tools, source, [*definitions, *more])
            if more and set(kinds) == {"."}:
                continue
            code = compiled(tools, source, [*definitions, *more])
            words = struct.unpack(f"<{len(code) // 4}I", code)
            check_capabilities(name + suffix, words)
            yield {"name": name + suffix, "words": words, "formats": kinds}


def table(parts: list[dict]) -> str:
    """The C++ of all shaders."""
    constants = "".join(
        f"const uint32_t k_{part['name']}[] = {{{','.join(map(str, part['words']))}}};\n" for part in parts
    )
    rows = (
        f'      {{"{part["name"]}", k_{part["name"]}, sizeof(k_{part["name"]}), "{part["formats"]}"}},'
        for part in parts
    )
    return _HEAD + constants + _TAIL.format(rows="\n".join(rows))


def main(command: str, out: str, *inputs: str) -> None:
    if command == "compile":
        tools, source = map(pathlib.Path, inputs)
        text = json.dumps(list(shaders(tools, source)))
    else:
        text = table([shader for part in inputs for shader in json.loads(pathlib.Path(part).read_text())])
    pathlib.Path(out).write_text(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
