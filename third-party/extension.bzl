"""The module extension that turns the lock files into repositories; each is fetched when first needed."""

load(":repositories.bzl", "host_python", "licence_hub", "package_repository")

# bazel.lock.json is no dependency of a build: bazelw installs from it.
_LOCKS = ["debian", "debian_arm64", "debian_sources", "npm", "python"]

def repository_name(kind, package):
    """pip_scikit_learn for scikit-learn, npm_bazel_buildifier for @bazel/buildifier, ..."""
    for character in "-./@+".elems():
        package = package.replace(character, "_")
    return kind + "_" + package.strip("_").lower()

def _rows(lock):
    """The rows by name, each with what the head of its lock file says for all, and the rows that a build of it needs besides."""
    head = {key: value for key, value in lock.items() if type(value) in ["string", "list"]}
    rows = {name: {"package": name} | head | pin for name, pin in lock["packages"].items()}
    return {
        name: row | {"builds": {build: [rows[other] for other in others] for build, others in row.get("builds", {}).items()}}
        for name, row in rows.items()
    }

def _overlay(entry):
    return "//third-party/overlays:" + entry["overlay"] if "overlay" in entry else None

def _lock_repositories(lock):
    """Declares the repositories of one lock file and returns their names."""
    rows = _rows(lock)
    bundles = lock.get("bundles", {})
    for bundle, entry in bundles.items():
        package_repository(
            name = "bundle_" + bundle,
            bundle = bundle,
            files = {"//third-party/overlays:" + source: path for path, source in entry.get("files", {}).items()},
            overlay = _overlay(entry),
            rows = json.encode([rows[package] for package in entry["packages"]]),
        )
    parts = [package for entry in bundles.values() for package in entry["packages"] if "overlay" not in rows[package]]
    parts += [row["package"] for owner in rows.values() for part in owner["builds"].values() for row in part]
    packages = [name for name in rows if name not in parts]
    for name in packages:
        package_repository(
            name = repository_name(lock["kind"], name),
            deps = ["@{}//:pkg".format(repository_name(lock["kind"], dep)) for dep in rows[name].get("deps", [])],
            overlay = _overlay(rows[name]),
            rows = json.encode([rows[name]]),
        )
    return ["bundle_" + bundle for bundle in bundles] + [repository_name(lock["kind"], name) for name in packages]

def _third_party_impl(mctx):
    locks = {name: json.decode(mctx.read(Label("//third-party:{}.lock.json".format(name)))) for name in _LOCKS}
    repositories = []
    for lock in locks.values():
        repositories += _lock_repositories(lock)
    licence_hub(name = "third_party_licences", repositories = repositories)
    host_python(name = "host_python", version = locks["python"]["python"])
    return mctx.extension_metadata(reproducible = True) if hasattr(mctx, "extension_metadata") else None

third_party = module_extension(implementation = _third_party_impl)
