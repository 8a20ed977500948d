"""A C++ distribution of one microlibrary: headers, static library, CMake and pkg-config files, in one tar."""

load("@rules_cc//cc:action_names.bzl", "ACTION_NAMES")
load("@rules_cc//cc:find_cc_toolchain.bzl", "find_cc_toolchain", "use_cc_toolchain")

# What is not included as <executorch/...>: the paths of a library of PyTorch's that one of these stands for.
_PYTORCH_PATHS = "pytorch/"

def _headers(ctx, infos):
    """Install path -> File for the public headers of this library's directories."""
    prefixes = ["executorch/{}/".format(package) for package in ctx.attr.packages]
    headers = {}
    for info in infos:
        for header in info.compilation_context.headers.to_list():
            # cc_lib's include_prefix puts each header there under the path it is included by.
            directory, found, rest = header.path.partition("/_virtual_includes/")
            path = rest.partition("/")[2]
            name = path
            if path.startswith(_PYTORCH_PATHS):
                name = "executorch/" + directory.rpartition("/bin/")[2] + "/"
            if found and any([name.startswith(prefix) for prefix in prefixes]):
                headers[path] = header
    return headers

def _bundled_headers(ctx):
    """Install path -> File for the public headers of what is bundled, whose own includes name them this way."""
    headers = {}
    for target in ctx.attr.bundles:
        for header in target[CcInfo].compilation_context.direct_public_headers:
            _, found, path = header.path.rpartition("/include/")
            if not found:
                fail("{}: {} does not lie in a directory `include`".format(target.label, header.path))
            headers[path] = header
    return headers

def _system_libraries(infos):
    """The flags -l... of what is linked, each once."""
    flags = {}
    for info in infos:
        for linker_input in info.linking_context.linker_inputs.to_list():
            flags.update({flag: None for flag in linker_input.user_link_flags if flag.startswith("-l")})
    return flags.keys()

def _licences(ctx):
    """Install path -> File for the licences of what is bundled."""
    found = {}
    for file in ctx.files.bundled_licences:
        name = file.owner.repo_name.rpartition("~")[2].removeprefix("src_")
        found["share/doc/{}/{}/{}".format(ctx.attr.library, name, file.basename)] = file
    return found

def _objects(infos):
    """The objects that are linked: a list of (repository, package, whether a linker must take it whole, file)."""
    found = {}
    for info in infos:
        for linker_input in info.linking_context.linker_inputs.to_list():
            owner = linker_input.owner
            for library in linker_input.libraries:
                for file in library.pic_objects or library.objects or []:
                    found[file.path] = (owner.repo_name, owner.package, library.alwayslink, file)
    return found.values()

def _below(package, directories):
    return any([(package + "/").startswith(directory + "/") for directory in directories])

def own_objects(repository, packages, infos):
    """Object files that lie below some directories: those a linker picks from, and those it must take whole.

    Args:
      repository: name of the repository that the directories are in.
      packages: the directories.
      infos: CcInfo of what links them.

    Returns:
      Two lists of files.
    """
    own = [(whole, file) for repo, package, whole, file in _objects(infos) if repo == repository and _below(package, packages)]
    return [file for whole, file in own if not whole], [file for whole, file in own if whole]

def _nearest(place, archives):
    """The archive with the longest directory above a place, and the length of that; none is the empty name."""
    best = ("", -1)
    for archive, directories in archives.items():
        for directory in directories:
            if _below(place, [directory]) and len(directory) > best[1]:
                best = (archive, len(directory))
    return best

def _archive_of(ctx, place, whole):
    """The archive that an object goes to. What stands beside registrations, and nowhere else, is taken whole with them."""
    registering, depth = _nearest(place, ctx.attr.registrations)
    archive, other_depth = _nearest(place, ctx.attr.archives)
    if registering and (whole or other_depth < depth):
        return registering
    if whole:
        return ctx.attr.library + "_whole"
    return archive or ctx.attr.library

def _sorted_into_archives(ctx, infos):
    """Archive -> its objects, each object in one, in the order of a link line.

    A linker that reads the line once looks for what an archive needs in those after it: what registers itself comes first, and what
    is bundled last. Archives that have other names follow, as further files for who links by name.
    """
    names = [ctx.attr.library + "_whole"] + ctx.attr.registrations.keys()
    sorted_into = {name: [] for name in names + [ctx.attr.library] + ctx.attr.archives.keys()}
    for repo, package, whole, file in _objects(infos):
        if repo != ctx.label.repo_name:
            if ctx.attr.bundles:
                place = "@" + repo.rpartition("~")[2]
                archive, _ = _nearest(place, ctx.attr.archives)
                if not archive:
                    fail("{}: no row of `archives` has {}".format(ctx.label, place))
                sorted_into[archive].append(file)
        elif _below(package, ctx.attr.packages):
            sorted_into[_archive_of(ctx, package, whole)].append(file)
    return {name: objects for name, objects in sorted_into.items() if objects}

def archive_objects(ctx, path, objects):
    """A static library at `path` below the package; the rule needs `use_cc_toolchain()` and the fragment cpp."""
    toolchain = find_cc_toolchain(ctx)
    configuration = cc_common.configure_features(ctx = ctx, cc_toolchain = toolchain)
    archive = ctx.actions.declare_file(path)
    arguments = ctx.actions.args()
    arguments.add("rcsD")
    arguments.add(archive)
    arguments.add_all(objects)
    arguments.use_param_file("@%s")
    arguments.set_param_file_format("multiline")
    ctx.actions.run(
        executable = cc_common.get_tool_for_action(
            action_name = ACTION_NAMES.cpp_link_static_library,
            feature_configuration = configuration,
        ),
        arguments = [arguments],
        inputs = depset(objects, transitive = [toolchain.all_files]),
        mnemonic = "DistArchive",
        outputs = [archive],
    )
    return archive

def _standard_library(ctx):
    """The C++ library that all of it is compiled against."""
    libstdcxx = ctx.attr._libstdcxx[platform_common.ConstraintValueInfo]
    return "libstdc++" if ctx.target_platform_has_constraint(libstdcxx) else "libc++"

def _is_whole(ctx, name):
    return name in ctx.attr.registrations or name == ctx.attr.library + "_whole"

def _cc_dist_impl(ctx):
    infos = [dep[CcInfo] for dep in ctx.attr.deps]
    headers = _headers(ctx, infos) | _bundled_headers(ctx)
    licences = _licences(ctx)
    if bool(ctx.attr.bundles) != bool(licences):
        fail("{}: what is bundled ships with its licence: bundles and bundled_licences go together".format(ctx.label))
    objects = _sorted_into_archives(ctx, infos)
    path = ctx.label.name + ".objects/lib{}.a"
    archives = {name: archive_objects(ctx, path.format(name), files) for name, files in objects.items()}
    others = {
        name: archive_objects(ctx, path.format(name), objects.get(same, []))
        for name, same in ctx.attr.further_names.items()
    }
    out = ctx.actions.declare_file(ctx.label.name + ".tar.gz")
    manifest = ctx.actions.declare_file(ctx.label.name + ".manifest.json")
    ctx.actions.write(manifest, json.encode({
        "archives": [[archive.path, _is_whole(ctx, name)] for name, archive in archives.items()],
        "further_archives": [archive.path for archive in others.values()],
        "headers": {path: file.path for path, file in headers.items()},
        "library": ctx.attr.library,
        "licences": {path: file.path for path, file in licences.items()},
        "standard_library": _standard_library(ctx),
        "siblings": {name: target.files.to_list()[0].path for target, name in ctx.attr.siblings.items()},
        "system": _system_libraries(infos) if ctx.attr.bundles else [],
        "version": ctx.file.version.path,
    }))
    ctx.actions.run(
        executable = ctx.executable._builder,
        arguments = [manifest.path, out.path],
        inputs = depset(
            archives.values() + others.values() + headers.values() + licences.values() + [manifest, ctx.file.version],
            transitive = [target.files for target in ctx.attr.siblings],
        ),
        mnemonic = "CcDist",
        outputs = [out],
    )
    return DefaultInfo(files = depset([out]), runfiles = ctx.runfiles([out]))

cc_dist = rule(
    implementation = _cc_dist_impl,
    attrs = {
        "archives": attr.string_list_dict(doc = """the documented static libraries: name -> the directories whose objects are in it,
or `@repository` for what is bundled; in the order of a link line. What no row names is in `lib<library>.a`."""),
        "bundled_licences": attr.label_list(allow_files = True, doc = "licences of all third-party code in it"),
        "bundles": attr.label_list(
            providers = [CcInfo],
            doc = "third-party libraries that it carries, with what they stand on; their headers are installed too",
        ),
        "deps": attr.label_list(providers = [CcInfo]),
        "further_names": attr.string_dict(
            doc = "further names of archives, for who links by name: name -> archive, or nothing where its code lies in others",
        ),
        "library": attr.string(mandatory = True),
        "packages": attr.string_list(mandatory = True, doc = "directories whose C++ this distribution holds"),
        "registrations": attr.string_list_dict(
            doc = "as archives, of what registers itself and is linked whole; with a directory that is here alone, all of it",
        ),
        "siblings": attr.label_keyed_string_dict(allow_files = True, doc = "VERSION file -> library name"),
        "version": attr.label(allow_single_file = True, mandatory = True),
        "_builder": attr.label(default = ":dist_builder", executable = True, cfg = "exec"),
        "_libstdcxx": attr.label(default = "//toolchains:stdlib_libstdcxx"),
    },
    fragments = ["cpp"],
    toolchains = use_cc_toolchain(),
)
