"""apt with a state of its own: reads the machine's mirror, leaves the machine's packages alone."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

from .apt_sources import Source
from .progress import BootstrapError, last_errors
from .supply import Row

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

# Reads the packages of other machines.
_ARCHITECTURE = """\
#clear APT::Architectures;
APT::Architecture "{architecture}";
APT::Architectures {{ "{architecture}"; }};
"""


class Index:
    """The packages of one suite. There are 60,000 of them, so stanzas are read when asked for."""

    def __init__(self, text: str, suite: str = "") -> None:
        """Takes what `apt-cache dumpavail` prints."""
        self._suite = suite
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

    def row(self, name: str) -> Row:
        """The package as a row that the suite's archive answers."""
        if name not in self._stanzas:
            raise BootstrapError(f"the suite has no package {name}")
        fields = self.fields(name)
        return Row(
            kind="deb",
            package=name,
            version=fields["Version"],
            sha256=(fields["SHA256"],),
            ways=("mirror", "archive"),
            suite=self._suite,
            path=fields["Filename"],
            size=int(fields["Size"]),
        )

    def resolve(self, names: Iterable[str]) -> str | None:
        """The first of alternative names that is a package, else the first that some package provides."""
        real = next((name for name in names if name in self._stanzas), None)
        return real or next((self._providers[name] for name in names if name in self._providers), None)

    def closure(self, roots: Iterable[str], without: set[str]) -> list[Row]:
        """The packages that roots need, cut off at packages that nothing here runs.

        Simpler than apt's own solver on purpose: that refuses the whole plan while any package of a
        rolling suite cannot be installed, even one that is cut off here.
        """
        found: dict[str, Row] = {}
        queue = list(roots)
        while queue:
            name = queue.pop()
            if name in found:
                continue
            found[name] = self.row(name)
            queue += self.needs(name, without)
        return sorted(found.values(), key=lambda row: row.package)

    def needs(self, name: str, without: set[str]) -> list[str]:
        """The packages that one depends on; a dependency that nothing in the suite meets is left out."""
        kept = [names for names in _dependencies(self.fields(name)) if not without.intersection(names)]
        return [needed for names in kept if (needed := self.resolve(names))]


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

    def __init__(
        self, directory: Path, source: Source, suite: str, sources: bool = False, architecture: str = ""
    ) -> None:
        self._directory, self._suite = directory, suite
        for name in ("sources.d", "state/lists/partial", "cache/archives/partial"):
            (directory / name).mkdir(parents=True, exist_ok=True)
        (directory / "status").touch()
        (directory / "sources.d/private.sources").write_text(source.stanza(suite, sources=sources))
        other = _ARCHITECTURE.format(architecture=architecture) if architecture else ""
        (directory / "apt.conf").write_text(_CONFIGURATION.format(directory=directory) + other)

    def _command(self, tool: str, *arguments: str) -> list[str]:
        return [tool, "-c", str(self._directory / "apt.conf"), *arguments]

    def _read(self, tool: str, *arguments: str) -> str:
        """Runs a query; raises with apt's own words where it fails."""
        environment = {**os.environ, "LC_ALL": "C.UTF-8"}
        done = subprocess.run(
            self._command(tool, *arguments), capture_output=True, text=True, env=environment, check=False
        )
        if done.returncode:
            raise BootstrapError(last_errors(done.stderr) or f"{tool} failed")
        return done.stdout

    def update(self) -> None:
        """Fetches the suite's signed index; raises where the mirror does not serve it."""
        self._read("apt-get", "-q", "-o", "APT::Update::Error-Mode=any", "update")

    def index(self) -> Index:
        """The packages of the suite."""
        return Index(self._read("apt-cache", "dumpavail"), self._suite)

    def source(self, name: str) -> str:
        """The stanzas of a source package; needs an index of sources."""
        return self._read("apt-cache", "--only-source", "showsrc", name)
