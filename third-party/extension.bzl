"""The module extension that turns the lock files into repositories; each is fetched when first needed."""

load(":repositories.bzl", "bundle_repository", "host_python", "licence_hub", "package_repository")

_LOCKS = {
    "deb": "//third-party:debian.lock.json",
    "npm": "//third-party:npm.lock.json",
    "pip": "//third-party:python.lock.json",
    "src": "//third-party:debian_sources.lock.json",
}

# Programs out of several Debian packages, unpacked into one tree.
_BUNDLES = "//third-party:debian_bundles.lock.json"

def repository_name(kind, package):
    """pip_scikit_learn for scikit-learn, npm_bazel_buildifier for @bazel/buildifier, ..."""
    for character in "-./@+".elems():
        package = package.replace(character, "_")
    return kind + "_" + package.strip("_").lower()

def _third_party_impl(mctx):
    repositories = []
    for kind, lock in _LOCKS.items():
        for package, pin in json.decode(mctx.read(Label(lock))).items():
            repositories.append(repository_name(kind, package))
            package_repository(
                name = repositories[-1],
                kind = kind,
                # A second version of a package has a name of its own.
                package = pin.get("package", package),
                version = pin["version"],
                sha256 = pin["sha256"],
                suite = pin.get("suite", "bookworm"),
                deps = ["@{}//:pkg".format(repository_name(kind, dep)) for dep in pin.get("deps", [])],
                overlay = "//third-party/overlays:" + pin["overlay"] if "overlay" in pin else None,
            )
    for bundle, entry in json.decode(mctx.read(Label(_BUNDLES))).items():
        repositories.append("bundle_" + bundle)
        bundle_repository(
            name = repositories[-1],
            overlay = "//third-party/overlays:" + entry["overlay"],
            packages = json.encode(entry["packages"]),
        )
    licence_hub(name = "third_party_licences", repositories = repositories)
    host_python(name = "host_python", version = "3.11")
    return mctx.extension_metadata(reproducible = True) if hasattr(mctx, "extension_metadata") else None

third_party = module_extension(implementation = _third_party_impl)
