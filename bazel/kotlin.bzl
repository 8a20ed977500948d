"""Kotlin without a rule set: its compiler on the virtual machine of //third-party:jdk."""

load(":compatibility.bzl", "HOST")
load(":java.bzl", "DATE", "JAVA_HOME", "JAVA_LIBRARIES", "JDK", "JUNIT", "RELEASE_OF_CLASSES")

KOTLIN = "//third-party:kotlin"
_JARS = "$(location {})".format(KOTLIN)

# What applications compile with may be older than the compiler here.
_LANGUAGE = "2.1"

# The standard library first: another one is in the jar with the compiler and the coroutines.
_LIBRARIES = "$$(echo {jars}/kotlin-stdlib-*.jar {jars}/*-all.jar | tr ' ' ':')".format(jars = _JARS)

def kotlin_jar(name, srcs, module, deps = [], friends = [], testonly = False, visibility = ["//visibility:public"]):
    """A jar of the classes of some sources, which compile without a warning.

    Args:
      name: of the target; the file is NAME.jar.
      srcs: Kotlin files.
      module: Kotlin's name of them all.
      deps: jars that they are compiled against; coroutines are there.
      friends: those of them whose internal names the sources see.
      testonly: the sources may use JUnit; others say what is public.
      visibility: as for genrule.
    """
    jars = [_LIBRARIES] + ["$(location {})".format(dep) for dep in deps + friends] + ([JUNIT] if testonly else [])
    native.genrule(
        name = name,
        testonly = testonly,
        srcs = srcs + deps + friends,
        outs = [name + ".jar"],
        cmd = " && ".join([
            "classes=$$(mktemp -d)",
            " ".join([
                JAVA_LIBRARIES,
                JAVA_HOME + "/bin/java -Xmx1g -Djava.io.tmpdir=$$classes -Duser.home=$$classes",
                "-cp '{}/*' org.jetbrains.kotlin.cli.jvm.K2JVMCompiler".format(_JARS),
                "-no-stdlib -no-reflect -Werror -jvm-target {} -language-version {lang} -api-version {lang}".format(
                    "1." + RELEASE_OF_CLASSES,
                    lang = _LANGUAGE,
                ),
                "-module-name " + module,
                "" if testonly else "-Xexplicit-api=strict",
                "-Xfriend-paths=" + ",".join(["$(location {})".format(friend) for friend in friends]) if friends else "",
                "-cp " + ":".join(jars),
                "-d $$classes/out",
            ] + ["$(locations {})".format(src) for src in srcs]),
            "{} {}/bin/jar --create --date={} --file=$@ -C $$classes/out .".format(JAVA_LIBRARIES, JAVA_HOME, DATE),
            "rm -r $$classes",
        ]),
        target_compatible_with = HOST,
        tools = [JDK, KOTLIN],
        visibility = visibility,
    )
