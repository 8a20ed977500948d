"""Writes the rc file with which one workspace runs on the private Bazel."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from pathlib import Path

from .module_graph import Graph, read, walk
from .progress import BootstrapError

_BAZEL = Path("usr/share/bazel")


def provided_modules(tree: Path) -> dict[str, Path]:
    """The modules that the installed Debian packages bring: module name -> directory."""
    files = sorted((tree / _BAZEL).glob("rules/*/MODULE.bazel")) + sorted(
        (tree / _BAZEL).glob("tools/*/MODULE.bazel")
    )
    return {read(file.parent).name: file.parent for file in files}


def module_graph(workspace: Path, tree: Path) -> Graph:
    """The graph of a workspace; raises where it needs a module that no package brings."""
    graph = walk(workspace, tree / _BAZEL / "embedded_tools", provided_modules(tree).get)
    if graph.unmet:
        names = ", ".join(f"{name} (named by {by})" for name, by in sorted(graph.unmet.items()))
        raise BootstrapError(
            f"the private Bazel has no registry to fetch modules from, and Debian does not package: "
            f"{names}.\nInstall Bazel or Bazelisk on PATH to use the public registry, or give the module a "
            "local_path_override."
        )
    return graph


def _extension_text(extensions: list[tuple[str, list[str]]]) -> str:
    """A .bzl file whose extensions make empty repositories."""
    lines = ["def _empty(ctx):", '    ctx.file("BUILD.bazel", "")', ""]
    lines += ["_repository = repository_rule(implementation = _empty)", ""]
    for name, repositories in extensions:
        lines += [f"def _{name}(_ctx):"]
        lines += [f'    _repository(name = "{repository}")' for repository in repositories] or ["    pass"]
        lines += ["", f"{name} = module_extension(implementation = _{name})", ""]
    return "\n".join(lines)


def registry_files(graph: Graph) -> dict[str, str]:
    """A registry of empty stand-ins for modules that Bazel's built-in rules name but that neither
    C++ nor Python builds load: relative path -> text."""
    files = {"bazel_registry.json": '{"module_base_path": "sources"}\n'}
    for name, versions in sorted(graph.missing.items()):
        for version in sorted(versions):
            entry = f"modules/{name}/{version}"
            files[f"{entry}/MODULE.bazel"] = f'module(name = "{name}", version = "{version}")\n'
            files[f"{entry}/source.json"] = json.dumps({"type": "local_path", "path": name}) + "\n"
        files[f"sources/{name}/MODULE.bazel"] = f'module(name = "{name}")\n'
        files[f"sources/{name}/BUILD.bazel"] = ""
    by_file: dict[str, list[tuple[str, list[str]]]] = {}
    for (module, file, extension), repositories in sorted(graph.extensions.items()):
        by_file.setdefault(f"sources/{module}/{file}", []).append((extension, sorted(repositories)))
    for path, extensions in by_file.items():
        files[path] = _extension_text(extensions)
        files.setdefault(str(Path(path).parent / "BUILD.bazel"), "")
    return files


def rc_lines(tree: Path, java_home: str, registry: Path, graph: Graph) -> list[str]:
    """The lines of the rc file."""
    base = tree / _BAZEL
    lines = [
        f'startup "--install_base={base}" --trust_install_base "--server_javabase={tree / java_home}"',
        f'common "--registry={registry.as_uri()}"',
        # The lock file would name paths of this machine in the user's checkout.
        "common --lockfile_mode=off",
        # Bazel's own WORKSPACE, which a module's undeclared names fall back to, is fetched from the network.
        "common --noenable_workspace",
    ]
    return lines + [
        f'common "--override_module={name}={path}"' for name, path in sorted(graph.provided.items())
    ]


def write(directory: Path, workspace: Path | None, tree: Path, java_home: str) -> Path:
    """Writes the rc file for a workspace (None: outside of any) and its registry, and returns its path.

    The files lie in a directory named by what they say, so that concurrent runs and several
    workspaces share them without a lock.
    """
    graph = module_graph(workspace, tree) if workspace else Graph()
    files = registry_files(graph)
    key = hashlib.sha256(
        json.dumps([files, rc_lines(tree, java_home, directory, graph)]).encode()
    ).hexdigest()[:16]
    target = directory / key
    if not target.is_dir():
        directory.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(dir=directory))
        files = {f"registry/{path}": text for path, text in files.items()}
        files["bazelrc"] = "\n".join(rc_lines(tree, java_home, target / "registry", graph)) + "\n"
        for path, text in files.items():
            (draft / path).parent.mkdir(parents=True, exist_ok=True)
            (draft / path).write_text(text)
        draft.chmod(0o755)
        try:
            os.rename(draft, target)
        except OSError:  # another run was quicker
            shutil.rmtree(draft)
    return target / "bazelrc"
