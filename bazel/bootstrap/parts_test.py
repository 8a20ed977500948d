"""The parts of the installer, each on small texts."""

from __future__ import annotations

import io
import struct
import tempfile
import textwrap
import unittest
from pathlib import Path

from executorch.bazel.bootstrap import apt_sources, install, module_graph, relocate, truststore, workspace_rc
from executorch.bazel.bootstrap.private_apt import Index
from executorch.bazel.bootstrap.progress import BootstrapError, Progress
from executorch.bazel.bootstrap.stand_ins import write_jar


class DirectoryTest(unittest.TestCase):
    """Tests that write files."""

    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)

    def write(self, path: str, text: str) -> Path:
        """Writes a dedented text."""
        file = self.directory / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(text))
        return file


class VersionTest(unittest.TestCase):
    def test_debian_versions(self) -> None:
        for version, good in {
            "7.7.1+ds-8+b1": True,
            "1:7.10.0-1": True,
            "7.7.0+ds-1": False,
            "8.0.0-1": False,
            "7.8.0~rc1-1": False,
            "4.2.3+ds-9": False,
            "": False,
        }.items():
            self.assertEqual(install.on_line(version, "7.7.1"), good, version)


class AptSourcesTest(DirectoryTest):
    def test_one_line_format(self) -> None:
        self.write(
            "sources.list",
            """\
            # deb http://commented.invalid/debian bookworm main
            deb-src http://source.invalid/debian bookworm main
            deb [arch=amd64 signed-by=/k.gpg] http://vendor.invalid/apt bookworm main # packages of a vendor
            deb cdrom:[Debian]/ bookworm main
            deb http://security.invalid/debian-security bookworm-security main
            deb [trusted=yes] https://mirror.invalid/debian/ bookworm main contrib
            """,
        )
        mirrors = apt_sources.debian_mirrors(self.directory)
        self.assertEqual(
            [mirror.uri for mirror in mirrors],
            ["https://mirror.invalid/debian/", "http://vendor.invalid/apt"],
        )
        self.assertEqual(mirrors[0].options, {"Trusted": "yes"})
        self.assertEqual(mirrors[1].options, {"Signed-By": "/k.gpg"})

    def test_deb822_format(self) -> None:
        self.write(
            "sources.list.d/debian.sources",
            """\
            # a comment
            Types: deb deb-src
            URIs: http://one.invalid/debian http://two.invalid/debian
            Suites: bookworm bookworm-updates
            Components: main
            Architectures: amd64
            Signed-By:
             -----BEGIN PGP PUBLIC KEY BLOCK-----
             .
             abc
             -----END PGP PUBLIC KEY BLOCK-----

            Types: deb
            Enabled: no
            URIs: http://off.invalid/debian
            Suites: sid
            Components: main
            """,
        )
        self.write("sources.list.d/debian.sources.disabled", "Types: deb\nURIs: http://old.invalid/debian\n")
        mirrors = apt_sources.debian_mirrors(self.directory)
        self.assertEqual(
            [mirror.uri for mirror in mirrors], ["http://one.invalid/debian", "http://two.invalid/debian"]
        )
        stanza = mirrors[0].stanza("sid")
        self.assertIn("URIs: http://one.invalid/debian\nSuites: sid\nComponents: main\n", stanza)
        self.assertIn("Signed-By: \n -----BEGIN PGP PUBLIC KEY BLOCK-----\n .\n abc\n", stanza)
        self.assertNotIn("Architectures", stanza)

    def test_no_sources(self) -> None:
        self.assertEqual(apt_sources.debian_mirrors(self.directory), [])


class IndexTest(unittest.TestCase):
    TEXT = textwrap.dedent(
        """\
        Package: tool
        Version: 1
        Size: 10
        SHA256: aa
        Filename: pool/aa.deb
        Depends: liba (>= 1), doc, gone | virtual (= 2), other-gone
        Pre-Depends: libc:any
        Description: first line
         Depends: a line of the description

        Package: liba
        Version: 2
        Size: 20
        SHA256: bb
        Filename: pool/bb.deb
        Depends: tool

        Package: provider
        Version: 3
        Provides: virtual (= 2), more
        Size: 30
        SHA256: cc
        Filename: pool/cc.deb

        Package: doc
        Version: 4
        Size: 40
        SHA256: dd
        Filename: pool/dd.deb

        Package: libc
        Version: 5
        Size: 50
        SHA256: ee
        Filename: pool/ee.deb
        """
    )

    def test_closure(self) -> None:
        packages = Index(self.TEXT).closure(["tool"], {"doc"})
        self.assertEqual(
            [(row.package, row.version, row.path, row.size) for row in packages],
            [
                ("liba", "2", "pool/bb.deb", 20),
                ("libc", "5", "pool/ee.deb", 50),
                ("provider", "3", "pool/cc.deb", 30),
                ("tool", "1", "pool/aa.deb", 10),
            ],
        )

    def test_a_missing_root_is_an_error(self) -> None:
        with self.assertRaisesRegex(BootstrapError, "no package absent"):
            Index(self.TEXT).closure(["absent"], set())

    def test_version(self) -> None:
        self.assertEqual((Index(self.TEXT).version("liba"), Index(self.TEXT).version("absent")), ("2", ""))


class ClassPathTest(DirectoryTest):
    def test_manifests_are_followed_and_files_come_once(self) -> None:
        java = self.directory / "usr/share/java"
        long_name = "x" * 60 + ".jar"  # the manifest breaks the line after 72 bytes
        write_jar(java / "a.jar", f"b.jar file:///usr/lib/c.jar {long_name[:40]}\r\n {long_name[40:]}")
        write_jar(java / "b.jar", "a.jar absent.jar")
        write_jar(java / long_name)
        write_jar(self.directory / "usr/lib/c.jar")
        (java / "b-1.0.jar").symlink_to("b.jar")
        jars = relocate.class_path(self.directory, ["/usr/share/java/a.jar", "/usr/share/java/b-1.0.jar"])
        self.assertEqual(
            jars,
            [
                "usr/share/java/a.jar",
                "usr/share/java/b-1.0.jar",
                "usr/lib/c.jar",
                f"usr/share/java/{long_name}",
            ],
        )


class ModuleTest(DirectoryTest):
    def test_parse(self) -> None:
        module = module_graph.parse(
            textwrap.dedent(
                """\
                "A docstring."
                module(
                    name = "m",
                    version = "1",  # a comment
                )
                bazel_dep(name = "a", version = "1.2", repo_name = "other")
                bazel_dep(name = "dev", version = "2", dev_dependency = True)
                bazel_dep(name = "near")
                local_path_override(module_name = "near", path = "../near")
                git_override(module_name = "far", remote = "r", commit = "c")
                single_version_override(module_name = "a", version = "1.3")
                extension = use_extension("@a//x:y.bzl", "extension")
                extension.tag(name = "t")
                use_repo(extension, "r1", r3 = "r2")
                [register_toolchains("@%s//:all" % name) for name in ("p", "q")]
                include("//deps:more.MODULE.bazel")
                """
            )
        )
        self.assertEqual(module.name, "m")
        self.assertEqual(module.deps, [("a", "1.2", False), ("dev", "2", True), ("near", "", False)])
        self.assertEqual(module.local_paths, {"near": "../near"})
        self.assertEqual(module.fetched, {"far"})
        self.assertEqual(module.versions, {"a": ["1.3"]})
        self.assertEqual(module.extensions, {("@a//x:y.bzl", "extension"): ["r1", "r2"]})
        self.assertEqual(module.includes, ["//deps:more.MODULE.bazel"])

    def test_a_syntax_error_names_the_line(self) -> None:
        with self.assertRaisesRegex(BootstrapError, "MODULE.bazel, line 2"):
            module_graph.parse('module(name = "m")\nbazel_dep(\n')


class WorkspaceRcTest(DirectoryTest):
    """The rc file and the registry, from a tree of three packaged modules."""

    def setUp(self) -> None:
        super().setUp()
        bazel = "root/usr/share/bazel"
        self.write(
            f"{bazel}/embedded_tools/MODULE.bazel",
            """\
            module(name = "bazel_tools")
            bazel_dep(name = "rules_cc", version = "0.0.1")
            bazel_dep(name = "protobuf", version = "3")
            bazel_dep(name = "buildozer", version = "7")
            binary = use_extension("@buildozer//:buildozer_binary.bzl", "buildozer_binary")
            use_repo(binary, "buildozer_binary")
            own = use_extension("//tools:x.bzl", "own")
            use_repo(own, "thing")
            """,
        )
        self.write(
            f"{bazel}/rules/cc/MODULE.bazel",
            """\
            module(name = "rules_cc", version = "0.0.11")
            bazel_dep(name = "platforms", version = "1")
            bazel_dep(name = "protobuf", version = "21")
            bazel_dep(name = "stardoc", version = "1", dev_dependency = True)
            """,
        )
        self.write(f"{bazel}/tools/platforms/MODULE.bazel", 'module(name = "platforms")\n')
        self.write(f"{bazel}/rules/shell/MODULE.bazel", 'module(name = "rules_shell")\n')
        self.tree = self.directory / "root"

    def _write(self, module: str) -> Path:
        self.write("ws/MODULE.bazel", module)
        return workspace_rc.write(self.directory / "rc", self.directory / "ws", self.tree, "usr/lib/jvm/java")

    def _overrides(self, module: str) -> list[str]:
        words = self._write(module).read_text().replace('"', "").split()
        return [word.split("=")[1] for word in words if word.startswith("--override_module")]

    def test_only_modules_of_the_graph_are_overridden(self) -> None:
        self.assertEqual(self._overrides('module(name = "m")\n'), ["platforms", "rules_cc"])
        with_shell = 'bazel_dep(name = "rules_shell", version = "9", dev_dependency = True)\n'
        self.assertEqual(self._overrides(with_shell), ["platforms", "rules_cc", "rules_shell"])

    def test_included_files_count(self) -> None:
        self.write("ws/deps/more.MODULE.bazel", 'bazel_dep(name = "rules_shell", version = "9")\n')
        self.assertIn("rules_shell", self._overrides('include("//deps:more.MODULE.bazel")\n'))

    def test_lines(self) -> None:
        rc = self._write('module(name = "m")\n')
        base = self.tree / "usr/share/bazel"
        first, *rest = rc.read_text().splitlines()
        self.assertEqual(
            first,
            f'startup "--install_base={base}" --trust_install_base '
            f'"--server_javabase={self.tree}/usr/lib/jvm/java"',
        )
        self.assertIn(f'common "--registry=file://{rc.parent}/registry"', rest)
        self.assertIn("common --lockfile_mode=off", rest)
        self.assertIn(f'common "--override_module=rules_cc={base}/rules/cc"', rest)

    def test_stand_ins(self) -> None:
        registry = self._write('module(name = "m")\n').parent / "registry"
        modules = sorted(str(path.relative_to(registry / "modules")) for path in registry.glob("modules/*/*"))
        self.assertEqual(modules, ["buildozer/7", "protobuf/21", "protobuf/3"])
        text = (registry / "sources/buildozer/buildozer_binary.bzl").read_text()
        self.assertIn("buildozer_binary = module_extension(", text)
        self.assertIn('_repository(name = "buildozer_binary")', text)

    def test_the_same_graph_shares_its_files(self) -> None:
        first = self._write('module(name = "m")\n')
        self.assertEqual(self._write('module(name = "other")\n'), first)
        self.assertNotEqual(self._write('bazel_dep(name = "rules_shell", version = "1")\n'), first)

    def test_local_modules_are_walked_without_their_development_dependencies(self) -> None:
        near = 'module(name = "near")\nbazel_dep(name = "rules_shell", version = "1", dev_dependency = %s)\n'
        here = 'bazel_dep(name = "near")\nlocal_path_override(module_name = "near", path = "../near")\n'
        self.write("near/MODULE.bazel", near % "False")
        self.assertIn("rules_shell", self._overrides(here))
        self.write("near/MODULE.bazel", near % "True")
        self.assertNotIn("rules_shell", self._overrides(here))

    def test_unpackaged_modules_are_named_with_who_wants_them(self) -> None:
        self.write(
            "near/MODULE.bazel", 'module(name = "near")\nbazel_dep(name = "protobuf", version = "3")\n'
        )
        with self.assertRaisesRegex(
            BootstrapError, r"gazelle \(named by MODULE.bazel\), protobuf \(named by near\)"
        ):
            self._write(
                'bazel_dep(name = "near")\nlocal_path_override(module_name = "near", path = "../near")\n'
                'bazel_dep(name = "gazelle", version = "1")\n'
            )

    def test_modules_that_bazel_fetches_itself_are_left_alone(self) -> None:
        module = 'bazel_dep(name = "far")\ngit_override(module_name = "far", remote = "r", commit = "c")\n'
        self.assertEqual(self._overrides(module), ["platforms", "rules_cc"])


class TruststoreTest(unittest.TestCase):
    def test_layout(self) -> None:
        data = truststore.jks([b"certificate"])
        self.assertEqual(struct.unpack(">III", data[:12]), (0xFEEDFEED, 2, 1))
        self.assertIn(b"\0\0\0\x0bcertificate", data)
        self.assertEqual(len(data), 12 + 4 + 5 + 8 + 7 + 4 + 11 + 20)


class ProgressTest(unittest.TestCase):
    def test_lines_where_there_is_no_terminal(self) -> None:
        stream = io.StringIO()
        progress = Progress("unpacking", 20, stream)
        for _ in range(20):
            progress.advance()
        lines = stream.getvalue().splitlines()
        self.assertEqual((lines[0], lines[-1]), ("bazelw: unpacking 1/20", "bazelw: unpacking 20/20"))
        self.assertLessEqual(len(lines), 11)

    def test_a_bar_on_a_terminal(self) -> None:
        stream = io.StringIO()
        stream.isatty = lambda: True  # type: ignore[method-assign]
        progress = Progress("unpacking", 2, stream)
        progress.set(1)
        progress.set(0)
        progress.set(2)
        frames = stream.getvalue().split("\r")[1:]
        self.assertEqual([frame.count("#") for frame in frames], [15, 30])
        self.assertTrue(frames[-1].endswith("] 2/2\n"))


if __name__ == "__main__":
    unittest.main()
