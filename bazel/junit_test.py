"""Runs the JUnit classes that a java_unit_test names on a virtual machine (bazel/java.bzl)."""

import os
import pathlib
import re
import subprocess


def _paths(variable: str) -> list[pathlib.Path]:
    return [pathlib.Path(path).absolute() for path in os.environ[variable].split()]


def test_junit(tmp_path: pathlib.Path) -> None:
    (kit,) = _paths("JAVA_HOME_OF_TEST")
    (library,) = _paths("JAVA_LIBRARY")
    # System.loadLibrary looks for the name with a prefix.
    (tmp_path / "libexecutorch.so").symlink_to(library)
    jars = [
        *_paths("JAVA_JARS"),
        # The standard library first: another one is in the jar with the coroutines.
        *(
            jar
            for path in _paths("JAVA_KOTLIN")
            for name in ("kotlin-stdlib-*", "*-all")
            for jar in path.glob(name + ".jar")
        ),
        *(kit / "usr/share/java" / f"{name}.jar" for name in ("junit4", "hamcrest")),
    ]
    data = _paths("JAVA_DATA")
    command = [
        str(kit / "usr/lib/jvm/java-17-openjdk-amd64/bin/java"),
        "-Xcheck:jni",
        # Java's own memory is all there from the beginning, so that what the process gains is what natives keep.
        "-Xms64m",
        "-Xmx64m",
        "-XX:+AlwaysPreTouch",
        "-XX:+UseSerialGC",
        "-XX:MaxDirectMemorySize=8m",
        f"-Djava.library.path={tmp_path}",
        *(f"-Dtest.data={path.parent}" for path in data),
        "-cp",
        ":".join(map(str, jars)),
        "org.junit.runner.JUnitCore",
        *os.environ["JAVA_CLASSES"].split(),
    ]
    environment = {**os.environ, "LD_LIBRARY_PATH": str(kit / "lib/x86_64-linux-gnu")}
    done = subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    print(done.stdout)
    assert done.returncode == 0
    # A machine that stops without a word has run nothing; -Xcheck:jni only prints.
    assert re.search(r"^OK \([1-9]\d* tests?\)$", done.stdout, re.MULTILINE), (
        "JUnit did not say that it ran tests"
    )
    assert "WARNING in native method" not in done.stdout and "FATAL ERROR in native method" not in done.stdout
