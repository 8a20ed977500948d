"""bazelw from end to end on stand-ins (see stand_ins.py)."""

from __future__ import annotations

import hashlib
import json
import os
import pwd
import re
import shutil
import signal
import time
import unittest
import zipfile
from pathlib import Path

from executorch.bazel.bootstrap.stand_ins import PACKAGES, MachineTest


class PathTest(MachineTest):
    """A Bazel on PATH goes before everything else."""

    def test_matching_bazel_runs_with_the_arguments_and_the_caches(self) -> None:
        self.machine.add_bazel("bazel 7.7.1")
        done = self.machine.run("build", "//a b", "-c opt")
        rc = self.machine.cache / "cache.bazelrc"
        expected = ["bazel", f"--bazelrc={rc}", "build", "//a b", "-c opt", "USE_BAZEL_VERSION=7.7.1"]
        self.assertEqual((done.returncode, done.stdout.splitlines()[:-1]), (0, expected), done.stderr)
        self.assertIn(f'"--disk_cache={self.machine.cache}/disk"', rc.read_text())
        self.assertIn(f'"--repository_cache={self.machine.cache}/repository"', rc.read_text())
        self.assertNotIn("output_user_root", rc.read_text())

    def test_versions_of_the_line_are_taken_and_others_passed_over(self) -> None:
        for version, taken in {
            "bazel 7.7.1": True,
            "bazel 7.7.2": True,
            "bazel 7.8.0": True,
            "bazel 7.10.0": True,
            "bazel 7.8.0-debian": True,
            "bazel 7.7.0": False,
            "bazel 7.6.9": False,
            "bazel 8.0.0": False,
            "bazel 17.7.1": False,
            "bazel 6.9.9": False,
            "bazel 7.8.0rc1": False,
            "bazel no_version": False,
            "": False,
        }.items():
            with self.subTest(version=version):
                self.machine.add_bazel(version)
                done = self.machine.run("info")
                self.assertEqual(done.returncode == 0, taken, done.stderr)
                self.assertEqual("passing over" in done.stderr, not taken)

    def test_bazelisk_serves_where_bazel_does_not(self) -> None:
        self.machine.add_bazel("bazel 6.0.0")
        self.machine.add_bazel("bazel 7.7.1", name="bazelisk")
        self.assertEqual(self.machine.run("info").stdout.splitlines()[0], "bazelisk")

    def test_a_bazel_that_fails_is_passed_over(self) -> None:
        self.machine.add_bazel("bazel 7.7.1", code=1)
        self.assertEqual(self.machine.run("info").returncode, 1)

    def test_bazelw_linked_as_bazel_does_not_call_itself(self) -> None:
        (self.machine.bin / "bazel").symlink_to(self.machine.repo / "bazelw")
        self.assertIn("cannot install one privately", self.machine.run("info").stderr)

    def test_a_program_can_be_named(self) -> None:
        self.machine.add_bazel("bazel 8.1.0", name="mine")
        self.machine.add_bazel("bazel 7.7.1")
        done = self.machine.run("info", EXECUTORCH_BAZEL=str(self.machine.bin / "mine"))
        self.assertEqual(done.stdout.splitlines()[0], "mine")

    def test_the_private_one_can_be_asked_for(self) -> None:
        self.machine.add_bazel("bazel 7.7.1")
        self.machine.add_debian()
        self.assertEqual(
            self.machine.run("info", EXECUTORCH_BAZEL="private").stdout.splitlines()[0], "private"
        )


class CacheTest(MachineTest):
    """Where the caches lie."""

    def setUp(self) -> None:
        super().setUp()
        self.machine.add_bazel("bazel 7.7.1")

    def _rc(self, **variables: str) -> Path:
        done = self.machine.run("info", **variables)
        self.assertEqual(done.returncode, 0, done.stderr)
        match = re.search(r"^--bazelrc=(.*)$", done.stdout, re.MULTILINE)
        self.assertIsNotNone(match)
        return Path(match[1]) if match else Path()

    def test_xdg_cache_home(self) -> None:
        xdg = self.machine.directory / "with blank"
        self.assertEqual(self._rc(XDG_CACHE_HOME=str(xdg)).parent, xdg / "executorch-bazel")

    def test_own_directory_holds_the_output_too(self) -> None:
        own = self.machine.directory / "own"
        rc = self._rc(EXECUTORCH_BAZEL_CACHE=str(own))
        self.assertEqual(rc.parent, own)
        self.assertIn(f'startup "--output_user_root={own}/output"', rc.read_text())

    def test_home_under_tmp_moves_to_var_tmp(self) -> None:
        xdg = f"/tmp/bazelw-test-{os.getpid()}"
        directory = Path(f"/var/tmp/executorch-bazel-{os.getuid()}")
        self.addCleanup(os.removedirs, f"{xdg}/executorch-bazel")
        if not directory.exists():
            self.addCleanup(shutil.rmtree, directory, ignore_errors=True)
        done = self.machine.run("info", XDG_CACHE_HOME=xdg)
        if done.returncode:  # as in Bazel's sandbox, where /var/tmp is read-only
            self.assertFalse(os.access("/var/tmp", os.W_OK), done.stderr)
            self.assertIn(f"cannot write the cache directory '{directory}'", done.stderr)
            return
        rc = self._rc(XDG_CACHE_HOME=xdg)
        self.assertEqual(rc.parent, directory)
        self.assertEqual(directory.stat().st_mode & 0o077, 0)
        self.assertIn(f'startup "--output_user_root={directory}/output"', rc.read_text())

    def test_without_home_the_account_has_one(self) -> None:
        done = self.machine.run("info", HOME="", XDG_CACHE_HOME=str(self.machine.directory))
        self.assertIn(f"HOME={pwd.getpwuid(os.getuid()).pw_dir}", done.stdout.splitlines())

    def test_a_directory_under_tmp_is_refused(self) -> None:
        directory = f"/tmp/bazelw-own-{os.getpid()}"
        done = self.machine.run("info", EXECUTORCH_BAZEL_CACHE=directory)
        self.addCleanup(os.rmdir, directory)
        self.assertEqual(done.returncode, 1)
        self.assertIn("outside /tmp", done.stderr)

    def test_an_unusable_home_is_named(self) -> None:
        done = self.machine.run("info", HOME="/dev/null")
        self.assertEqual(done.returncode, 1)
        self.assertIn("/dev/null/.cache/executorch-bazel", done.stderr)
        self.assertIn("EXECUTORCH_BAZEL_CACHE", done.stderr)


class MissingTest(MachineTest):
    """Machines on which nothing can be done say what to install."""

    def test_without_apt_and_python(self) -> None:
        done = self.machine.run("info", PATH=str(self.machine.bin))
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        for text in ("apt-get", "dpkg-deb", "Bazel 7.7.1", "Bazelisk"):
            self.assertIn(text, done.stderr)

    def test_with_a_bazel_that_is_too_old(self) -> None:
        self.machine.add_debian()
        self.machine.write_lock(architecture="another")
        index = self.machine.directory / "index"
        index.write_text(index.read_text().replace("1:7.8.0", "4.2.3"))
        done = self.machine.run("info")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        for text in (
            "bazel-bootstrap is 4.2.3",
            "sid",
            "testing",
            "Bazelisk",
            "EXECUTORCH_BAZEL_DEBIAN_MIRROR",
        ):
            self.assertIn(text, done.stderr)

    def test_with_a_mirror_that_fails(self) -> None:
        self.machine.add_debian()
        self.machine.write_hook('echo "E: no route" >&2; exit 100\n')
        done = self.machine.run("info")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("http://mirror.invalid/debian: E: no route", done.stderr)
        self.assertIn("http://mirror.invalid/debian sid: E: no route", done.stderr)

    def test_with_a_package_that_never_arrives(self) -> None:
        self.machine.add_debian()
        self.machine.write_hook('case "$*" in *" download-file "*) echo "E: gone" >&2; exit 100 ;; esac\n')
        done = self.machine.run("info")
        self.assertEqual(done.returncode, 1)
        self.assertIn("E: gone", done.stderr)
        self.assertIn("EXECUTORCH_MIRROR names none", done.stderr)
        self.assertEqual(len(self.machine.downloads()), 4)  # twice what is locked, twice the newest


class LockTest(MachineTest):
    """What is pinned is installed, by whichever way still has it."""

    def setUp(self) -> None:
        super().setUp()
        self.machine.add_debian()

    def _versions(self) -> set[str]:
        (record,) = self.machine.cache.glob("private/*/complete.json")
        return {package["version"] for package in json.loads(record.read_text())["packages"]}

    def _upload(self, gone: bool) -> None:
        """A new upload: the index has another version, in another file; the old one may be gone."""
        index, mirror = self.machine.directory / "index", self.machine.directory / "mirror"
        index.write_text(index.read_text().replace("7.8.0+ds-1", "7.9.0+ds-1"))
        for path in list(mirror.iterdir()):
            new = mirror / path.name.replace("7.8.0", "7.9.0")
            path.rename(new) if gone else shutil.copy(path, new)

    def test_the_pin_outlives_an_upload(self) -> None:
        self._upload(gone=False)
        done = self.machine.run("info")
        self.assertEqual((done.returncode, self._versions()), (0, {"1:7.8.0+ds-1"}), done.stderr)
        self.assertNotIn("reading the package index", done.stderr)

    def test_a_mirror_goes_first(self) -> None:
        mirror = self.machine.directory / "by digest"
        mirror.mkdir()
        for path in (self.machine.directory / "mirror").iterdir():
            path.rename(mirror / hashlib.sha256(path.read_bytes()).hexdigest())
        done = self.machine.run("info", EXECUTORCH_MIRROR=str(mirror))
        self.assertEqual((done.returncode, self._versions()), (0, {"1:7.8.0+ds-1"}), done.stderr)
        self.assertEqual(self.machine.downloads(), [])

    def test_the_snapshot_of_the_day_has_what_the_archive_dropped(self) -> None:
        self._upload(gone=False)
        self.machine.write_hook('case "$*" in *//mirror.invalid*) echo "E: 404" >&2; exit 100 ;; esac\n')
        done = self.machine.run("info", EXECUTORCH_DEBIAN_SNAPSHOTS="http://snapshots.invalid/debian/")
        self.assertEqual((done.returncode, self._versions()), (0, {"1:7.8.0+ds-1"}), done.stderr)
        self.assertIn("http://snapshots.invalid/debian/20260131T120000Z/pool/", self.machine.downloads()[-1])

    def test_the_newest_comes_last_and_says_so(self) -> None:
        self._upload(gone=True)
        done = self.machine.run("info")
        self.assertEqual((done.returncode, self._versions()), (0, {"1:7.9.0+ds-1"}), done.stderr)
        for text in ("bazel.lock.json", "bazel-bootstrap 1:7.8.0+ds-1", "installing the newest"):
            self.assertIn(text, done.stderr)

    def test_a_suite_of_ones_own_is_taken_as_it_is(self) -> None:
        self._upload(gone=False)
        self.machine.run("info", EXECUTORCH_BAZEL_DEBIAN_SUITE="experimental")
        self.assertEqual(self._versions(), {"1:7.9.0+ds-1"})


class PrivateTest(MachineTest):
    """The private installation, from stand-in packages."""

    def setUp(self) -> None:
        super().setUp()
        self.machine.add_debian()

    def _installation(self) -> Path:
        (directory,) = (path.parent for path in self.machine.cache.glob("private/*/complete.json"))
        return directory

    def test_first_run_installs_and_second_does_not(self) -> None:
        first = self.machine.run("build", "//x")
        self.assertEqual(first.returncode, 0, first.stderr)
        self.assertIn("downloading 5 packages", first.stderr)
        self.assertIn("unpacking packages 5/5", first.stderr)
        second = self.machine.run("build", "//x")
        self.assertEqual((second.stdout, second.stderr), (first.stdout, ""))
        self.assertEqual(len(self.machine.downloads()), 1)
        program, *options = first.stdout.splitlines()
        self.assertEqual(program, "private")
        self.assertEqual(options[0], f"--bazelrc={self.machine.cache}/cache.bazelrc")
        self.assertTrue(options[1].startswith(f"--bazelrc={self._installation()}/rc/"))
        self.assertEqual(options[2:4], ["build", "//x"])

    def test_the_installation_says_what_it_is_made_of(self) -> None:
        self.machine.run("info")
        record = json.loads((self._installation() / "complete.json").read_text())
        self.assertEqual(record["bazel"], "7.8.0-debian")
        self.assertEqual(sorted(package["name"] for package in record["packages"]), sorted(PACKAGES))
        for package in record["packages"]:
            self.assertRegex(package["sha256"], "^[0-9a-f]{64}$")

    def test_the_tree_names_itself(self) -> None:
        self.machine.run("info")
        java = self._installation() / "root/usr/share/java"
        release = java.parent / "bazel/build-data.jar"
        listing = java.parent / "bazel/bazel_classpath_debian_depends.txt"
        self.assertEqual(listing.read_text().splitlines(), [f"{java}/a.jar", f"{java}/b.jar", str(release)])
        with zipfile.ZipFile(release) as jar:
            self.assertEqual(jar.read("build-data.properties"), b"build.label=7.8.0\n")
        self.assertEqual(os.readlink(java / "link.jar"), "a.jar")

    def test_the_rc_follows_the_workspace_one_stands_in(self) -> None:
        other = self.machine.directory / "other/deep"
        other.mkdir(parents=True)
        (other.parent / "MODULE.bazel").write_text('bazel_dep(name = "rules_shell", version = "0")\n')
        here, there, nowhere = (
            self.machine.run("info", cwd=cwd).stdout for cwd in (None, other, self.machine.home)
        )
        texts = [
            Path(stdout.splitlines()[2].removeprefix("--bazelrc=")).read_text()
            for stdout in (here, there, nowhere)
        ]
        self.assertEqual(["override_module=rules_shell=" in text for text in texts], [False, True, False])
        self.assertEqual(["override_module=rules_cc=" in text for text in texts], [True, True, False])

    def test_a_module_that_debian_lacks_is_an_error(self) -> None:
        self.machine.write_module('bazel_dep(name = "gazelle", version = "1")\n')
        done = self.machine.run("info")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("gazelle (named by MODULE.bazel)", done.stderr)

    def test_concurrent_first_runs_install_once(self) -> None:
        self.machine.write_hook('case "$*" in *" download-file "*) sleep 1 ;; esac\n')
        processes = [self.machine.start("info") for _ in range(4)]
        results = [process.communicate() for process in processes]
        self.assertEqual([process.returncode for process in processes], [0] * 4, results)
        self.assertEqual(len({output for output, _ in results}), 1)
        self.assertEqual(len(self.machine.downloads()), 1)
        self.assertEqual(sum("waiting for it" in errors for _, errors in results), 3)

    def test_a_failed_download_is_tried_again_for_what_is_missing(self) -> None:
        self.machine.write_hook(
            'case "$*" in *" download-file "*) [ -e "$MACHINE/once" ] || {\n'
            '  touch "$MACHINE/once"; copy() { case "$1" in *patchelf*) cp "$MACHINE/mirror/${1##*/}" "$2" ;; *) false; esac; }\n'
            "}; esac\n"
        )
        done = self.machine.run("info")
        self.assertEqual(done.returncode, 0, done.stderr)
        first, second = self.machine.downloads()
        self.assertIn("/patchelf_", first)
        self.assertNotIn("/patchelf_", second)

    def test_a_damaged_package_is_not_used(self) -> None:
        self.machine.write_hook('copy() { cp "$MACHINE/mirror/${1##*/}" "$2"; echo x | tee -a "$2" >&2; }\n')
        done = self.machine.run("info")
        self.assertEqual(done.returncode, 1)
        self.assertIn("its sha256 is", done.stderr)

    def test_a_damaged_cache_is_filled_again(self) -> None:
        self.machine.run("info")
        shutil.rmtree(self.machine.cache / "private")
        (damaged, *_) = (self.machine.cache / "downloads").iterdir()
        damaged.write_text("")
        self.assertEqual(self.machine.run("info").returncode, 0)
        self.assertEqual(len(self.machine.downloads()[1].split(" download-file ")[1].split()), 3)

    def test_a_killed_run_is_taken_up(self) -> None:
        started = self.machine.directory / "unpacking"
        self.machine.write_hook('case "$*" in -x*) touch "$MACHINE/unpacking"; sleep 30 ;; esac\n')
        with self.machine.start("info") as process:
            while not started.exists() and process.poll() is None:
                time.sleep(0.05)
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
        self.assertEqual(list(self.machine.cache.glob("private/*/complete.json")), [])
        self.machine.write_hook("")
        done = self.machine.run("info")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(self.machine.downloads()), 1)
        self.assertEqual(list(self.machine.cache.glob("private/*.partial")), [])

    def test_an_installation_that_was_moved_is_made_again(self) -> None:
        self.machine.run("info")
        moved = self.machine.directory / "elsewhere"
        self.machine.home.rename(moved)
        done = self.machine.run("info", HOME=str(moved))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("is installed", done.stderr)
        self.assertEqual(len(self.machine.downloads()), 1)

    def test_nothing_is_written_outside_the_cache(self) -> None:
        before = sorted(self.machine.repo.rglob("*"))
        self.machine.run("info")
        self.assertEqual(sorted(self.machine.repo.rglob("*")), before)
        self.assertEqual(list(self.machine.home.iterdir()), [self.machine.home / ".cache"])
        self.assertEqual(list((self.machine.home / ".cache").iterdir()), [self.machine.cache])


if __name__ == "__main__":
    unittest.main()
