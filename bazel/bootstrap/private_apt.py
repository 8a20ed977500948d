"""apt with a state of its own: reads the machine's mirror, leaves the machine's packages alone."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from .apt_sources import Source
from .progress import BootstrapError, Progress, say

_ATTEMPTS = 3
# The machine's configuration stays in force (proxies, certificates), but not its hooks, which act on
# the system's own caches.
_CONFIGURATION = """\
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear DPkg::Pre-Invoke;
#clear DPkg::Post-Invoke;
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "{directory}/sources.d";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
Dir::State "{directory}/state";
Dir::State::status "{directory}/status";
Dir::Cache "{directory}/cache";
Dir::Cache::pkgcache "pkgcache.bin";
APT::Sandbox::User "";
APT::Install-Recommends "false";
APT::Default-Release "";
Acquire::Languages "none";
Acquire::Retries "5";
"""


@dataclass(frozen=True)
class Package:
    """One binary package as the signed index describes it."""

    name: str
    version: str
    sha256: str
    size: int

    def record(self) -> dict[str, object]:
        """The package as a JSON object."""
        return asdict(self)


class Index:
    """The packages of one suite. There are 60,000 of them, so stanzas are read when asked for."""

    def __init__(self, text: str) -> None:
        """Takes what `apt-cache dumpavail` prints."""
        self._stanzas: dict[str, str] = {}
        self._providers: dict[str, str] = {}
        for stanza in text.split("\n\n"):
            name = stanza.lstrip("\n").partition("\n")[0].removeprefix("Package: ")
            if not name:
                continue
            self._stanzas[name] = stanza
            if "\nProvides: " in stanza:
                for provided in self.fields(name)["Provides"].split(","):
                    self._providers.setdefault(_bare(provided), name)

    def fields(self, name: str) -> dict[str, str]:
        """The single-line fields of a package."""
        return dict(re.findall(r"^([A-Za-z0-9-]+): (.*)$", self._stanzas[name], re.MULTILINE))

    def version(self, name: str) -> str:
        """The version of a package, "" where the suite has none."""
        return self.fields(name)["Version"] if name in self._stanzas else ""

    def resolve(self, names: Iterable[str]) -> str | None:
        """The first of alternative names that is a package, else the first that some package provides."""
        real = next((name for name in names if name in self._stanzas), None)
        return real or next((self._providers[name] for name in names if name in self._providers), None)

    def closure(self, roots: Iterable[str], without: set[str]) -> list[Package]:
        """The packages that roots need, cut off at packages that nothing here runs.

        Simpler than apt's own solver on purpose: that refuses the whole plan while any package of a
        rolling suite cannot be installed, even one that is cut off here.
        """
        found: dict[str, Package] = {}
        queue = list(roots)
        while queue:
            name = queue.pop()
            if name in found:
                continue
            if name not in self._stanzas:
                raise BootstrapError(f"the suite has no package {name}")
            fields = self.fields(name)
            found[name] = Package(name, fields["Version"], fields["SHA256"], int(fields["Size"]))
            for names in _dependencies(fields):
                needed = None if without.intersection(names) else self.resolve(names)
                queue += [needed] if needed else []
        return sorted(found.values(), key=lambda package: package.name)


def _bare(relation: str) -> str:
    """The package's name in `name:any (>= 1.2)`."""
    return re.split(r"[\s:(]", relation.strip())[0]


def _dependencies(fields: dict[str, str]) -> Iterable[list[str]]:
    """The dependencies of a package, each as the names that satisfy it."""
    relations = ", ".join(fields[key] for key in ("Pre-Depends", "Depends") if key in fields)
    for relation in filter(str.strip, relations.split(",")):
        yield [_bare(name) for name in relation.split("|")]


class PrivateApt:
    """apt on one mirror and one suite, with lists, cache and package status in a directory of ours."""

    def __init__(self, directory: Path, source: Source, suite: str, sources: bool = False) -> None:
        self._directory = directory
        for name in ("sources.d", "state/lists/partial", "cache/archives/partial"):
            (directory / name).mkdir(parents=True, exist_ok=True)
        (directory / "status").touch()
        (directory / "sources.d/private.sources").write_text(source.stanza(suite, sources=sources))
        (directory / "apt.conf").write_text(_CONFIGURATION.format(directory=directory))

    def _command(self, tool: str, *arguments: str) -> list[str]:
        return [tool, "-c", str(self._directory / "apt.conf"), *arguments]

    def _read(self, tool: str, *arguments: str) -> str:
        """Runs a query; raises with apt's own words where it fails."""
        environment = {**os.environ, "LC_ALL": "C.UTF-8"}
        done = subprocess.run(
            self._command(tool, *arguments), capture_output=True, text=True, env=environment, check=False
        )
        if done.returncode:
            raise BootstrapError(_last_errors(done.stderr) or f"{tool} failed")
        return done.stdout

    def update(self) -> None:
        """Fetches the suite's signed index; raises where the mirror does not serve it."""
        self._read("apt-get", "-q", "-o", "APT::Update::Error-Mode=any", "update")

    def index(self) -> Index:
        """The packages of the suite."""
        return Index(self._read("apt-cache", "dumpavail"))

    def download(self, packages: list[Package], directory: Path) -> list[Path]:
        """Downloads packages into directory; what an earlier, interrupted run left there is used."""
        directory.mkdir(parents=True, exist_ok=True)
        for attempt in range(1, _ATTEMPTS + 1):
            missing = [package for package in packages if not _archive(directory, package)]
            if not missing:
                break
            if attempt > 1:
                say(f"{len(missing)} packages did not arrive, trying again ({attempt}/{_ATTEMPTS})")
                time.sleep(attempt - 1)
            errors = self._download_once(missing, directory)
        archives = [_archive(directory, package) for package in packages]
        if not all(archives):
            raise BootstrapError(f"downloading Debian packages failed:\n{errors}")
        return [archive for archive in archives if archive]

    def source_versions(self, name: str) -> list[str]:
        """The versions of a source package that the suite has; needs an index of sources."""
        text = self._read("apt-cache", "--only-source", "showsrc", name)
        return re.findall(r"^Version: (.*)$", text, re.MULTILINE)

    def download_source(self, name: str, version: str, directory: Path) -> None:
        """Downloads the upstream archive of a source package, without Debian's changes to it."""
        command = self._command(
            "apt-get", "-qq", "source", "--download-only", "--tar-only", f"{name}={version}"
        )
        done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
        if done.returncode:
            raise BootstrapError(_last_errors(done.stderr) or "apt-get source failed")

    def _download_once(self, packages: list[Package], directory: Path) -> str:
        """One run of apt-get download; returns its errors. apt checks the signed digests."""
        megabytes = sum(package.size for package in packages) // 1_000_000
        progress = Progress(f"downloading {len(packages)} packages, MB", megabytes)
        reader, writer = os.pipe()
        command = self._command("apt-get", "-qq", "-o", f"APT::Status-Fd={writer}", "download")
        command += [f"{package.name}={package.version}" for package in packages]
        with subprocess.Popen(
            command,
            cwd=directory,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            pass_fds=[writer],
        ) as process:
            os.close(writer)
            with os.fdopen(reader) as status:
                for line in status:
                    fields = line.split(":")
                    if fields[0] == "dlstatus":
                        progress.set(int(megabytes * float(fields[2]) / 100))
            errors = process.communicate()[1]
        if not process.returncode:
            progress.set(megabytes)
        return _last_errors(errors)


def _last_errors(text: str) -> str:
    """apt's error lines, the last few: the first failure repeats for every package."""
    lines = [line for line in text.splitlines() if line.startswith("E:")] or text.splitlines()
    return "\n".join(lines[-3:])


def _archive(directory: Path, package: Package) -> Path | None:
    """The downloaded file of a package, if it is complete."""
    version = package.version.replace(":", "%3a")
    for path in directory.glob(f"{package.name}_{version}_*.deb"):
        if path.stat().st_size == package.size and _sha256(path) == package.sha256:
            return path
    return None


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
