"""Which Debian mirrors this machine's apt sources name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

# Options of a source that say how to trust and reach it; the others (Architectures, Targets ...)
# describe what the machine wants from it, which is not what the private installation wants.
_KEPT_OPTIONS = {
    "signed-by": "Signed-By",
    "trusted": "Trusted",
    "allow-insecure": "Allow-Insecure",
    "check-valid-until": "Check-Valid-Until",
    "check-date": "Check-Date",
}
_KEYRINGS = (
    "/usr/share/keyrings/debian-archive-keyring.gpg",
    "/usr/share/keyrings/debian-archive-keyring.pgp",
)


@dataclass(frozen=True)
class Source:
    """A place that serves Debian suites, and the options with which apt trusts it."""

    uri: str
    suites: tuple[str, ...] = ()
    components: tuple[str, ...] = ()
    options: dict[str, str] = field(default_factory=dict, compare=False)

    def stanza(self, suite: str, component: str = "main", sources: bool = False) -> str:
        """The same place in apt's deb822 form, with one suite's index of packages (or of sources) and nothing else."""
        kind, target = ("deb-src", "Sources") if sources else ("deb", "Packages")
        lines = [f"Types: {kind}", f"URIs: {self.uri}", f"Suites: {suite}", f"Components: {component}"]
        lines += [f"Targets: {target}", *(f"{key}: {value}" for key, value in self.options.items())]
        return "\n".join(lines) + "\n"


def _one_line_entries(text: str) -> Iterator[Source]:
    """Entries of a .list file: `deb [options] URI suite component...`."""
    for line in text.splitlines():
        match = re.match(r"\s*deb\s+(?:\[([^]]*)\]\s*)?(\S+)\s+([^#]+)", line)
        if not match:
            continue
        suite, *components = match[3].split()
        pairs = (option.partition("=") for option in (match[1] or "").split())
        options = {
            _KEPT_OPTIONS[key.lower()]: value for key, _, value in pairs if key.lower() in _KEPT_OPTIONS
        }
        yield Source(match[2], (suite,), tuple(components), options)


def _fields(stanza: str) -> dict[str, str]:
    """Fields of one deb822 stanza, names in lower case; continuation lines keep their indent."""
    fields: dict[str, str] = {}
    name = ""
    for line in stanza.splitlines():
        if line.startswith("#"):
            continue
        if line[:1].isspace() and name:
            fields[name] += "\n" + line
        elif ":" in line:
            name, _, value = line.partition(":")
            name = name.strip().lower()
            fields[name] = value.strip()
    return fields


def _deb822_entries(text: str) -> Iterator[Source]:
    """Entries of a .sources file."""
    for stanza in re.split(r"\n\s*\n", text):
        fields = _fields(stanza)
        if "deb" not in fields.get("types", "").split() or fields.get("enabled", "yes").lower() == "no":
            continue
        options = {_KEPT_OPTIONS[name]: value for name, value in fields.items() if name in _KEPT_OPTIONS}
        for uri in fields.get("uris", "").split():
            suites = tuple(fields.get("suites", "").split())
            yield Source(uri, suites, tuple(fields.get("components", "").split()), options)


def _with_keyring(source: Source) -> Source:
    if {"Signed-By", "Trusted"} & source.options.keys():
        return source
    for keyring in _KEYRINGS:
        if Path(keyring).exists():
            return Source(
                source.uri, source.suites, source.components, {**source.options, "Signed-By": keyring}
            )
    return source


def debian_mirrors(etc_apt: Path) -> list[Source]:
    """Sources that may be mirrors of the whole Debian archive, the likeliest first.

    Vendors' repositories look alike (a Debian code name as the suite, `main` as the component), so
    the caller tries each until one serves the suite it needs.
    """
    entries: list[Source] = []
    files = [etc_apt / "sources.list", *sorted((etc_apt / "sources.list.d").glob("*"))]
    for path in files:
        if path.suffix in (".list", ".sources") and path.is_file():
            text = path.read_text(encoding="utf-8", errors="replace")
            entries += _deb822_entries(text) if path.suffix == ".sources" else _one_line_entries(text)
    mirrors: dict[str, Source] = {}
    for source in entries:
        security = all(re.search(r"-security$|/updates$", suite) for suite in source.suites)
        if "main" in source.components and not security and not source.uri.startswith("cdrom:"):
            mirrors.setdefault(source.uri.rstrip("/"), _with_keyring(source))
    return sorted(mirrors.values(), key=lambda source: not source.uri.rstrip("/").endswith("/debian"))
