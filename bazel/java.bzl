"""Java without a rule set: javac, javadoc and JUnit out of //third-party:jdk, whatever the machine has."""

load(":compatibility.bzl", "HOST")
load(":defs.bzl", "py_unit_test")

JDK = "//third-party:jdk"
JAVA_HOME = "$(location {})/usr/lib/jvm/java-17-openjdk-amd64".format(JDK)
JUNIT = ":".join(["$(location {})/usr/share/java/{}.jar".format(JDK, jar) for jar in ["junit4", "hamcrest"]])

# The libraries that the virtual machine loads of the system.
JAVA_LIBRARIES = "LD_LIBRARY_PATH=$(location {})/lib/x86_64-linux-gnu".format(JDK)

# Entries of a jar have a date; this one is the same for all.
DATE = "1980-01-01T00:00:02Z"

# What Android's tools take on every version that is supported: language and class files of Java 8.
RELEASE_OF_CLASSES = "8"

def java_jar(name, srcs, deps = [], testonly = False, visibility = ["//visibility:public"]):
    """A jar of the classes of some sources, which compile without a warning.

    Args:
      name: of the target; the file is NAME.jar.
      srcs: Java files.
      deps: jars that they are compiled against.
      testonly: the sources may use JUnit.
      visibility: as for genrule.
    """
    jars = ["$(location {})".format(dep) for dep in deps] + ([JUNIT] if testonly else [])
    native.genrule(
        name = name,
        testonly = testonly,
        srcs = srcs + deps,
        outs = [name + ".jar"],
        cmd = " && ".join([
            "classes=$$(mktemp -d)",
            "{} {}/bin/javac --release {} -Xlint:all,-options -Werror -g -encoding UTF-8 -d $$classes {} {}".format(
                JAVA_LIBRARIES,
                JAVA_HOME,
                RELEASE_OF_CLASSES,
                "-cp " + ":".join(jars) if jars else "",
                " ".join(["$(locations {})".format(src) for src in srcs]),
            ),
            "{} {}/bin/jar --create --date={} --file=$@ -C $$classes .".format(JAVA_LIBRARIES, JAVA_HOME, DATE),
            "rm -r $$classes",
        ]),
        target_compatible_with = HOST,
        tools = [JDK],
        visibility = visibility,
    )

def java_sources_jar(name, srcs, root, visibility = ["//visibility:public"]):
    """A jar of the sources themselves, for editors; `root` is the directory of their packages' first part."""
    native.genrule(
        name = name,
        srcs = srcs,
        outs = [name + ".jar"],
        cmd = "{} {}/bin/jar --create --no-manifest --date={} --file=$@ {}".format(
            JAVA_LIBRARIES,
            JAVA_HOME,
            DATE,
            " ".join(["-C {root} $$(realpath -s --relative-to={root} $(location {src}))".format(root = root, src = src) for src in srcs]),
        ),
        target_compatible_with = HOST,
        tools = [JDK],
        visibility = visibility,
    )

def javadoc_jar(name, srcs, title, deps = [], visibility = ["//visibility:public"]):
    """A jar of the pages that javadoc makes of some sources; what javadoc warns of is an error."""
    native.genrule(
        name = name,
        srcs = srcs + deps,
        outs = [name + ".jar"],
        cmd = " && ".join([
            "pages=$$(mktemp -d)",
            "{} {}/bin/javadoc --release {} -quiet -notimestamp -Xdoclint:all,-missing -Werror -encoding UTF-8 -windowtitle '{}' -d $$pages {} {}".format(
                JAVA_LIBRARIES,
                JAVA_HOME,
                RELEASE_OF_CLASSES,
                title,
                "-cp " + ":".join(["$(location {})".format(dep) for dep in deps]) if deps else "",
                " ".join(["$(locations {})".format(src) for src in srcs]),
            ),
            "{} {}/bin/jar --create --no-manifest --date={} --file=$@ -C $$pages .".format(JAVA_LIBRARIES, JAVA_HOME, DATE),
            "rm -r $$pages",
        ]),
        target_compatible_with = HOST,
        tools = [JDK],
        visibility = visibility,
    )

def java_unit_test(name, jars, classes, native_library, data = [], kotlin = [], size = "small", tags = []):
    """JUnit 4 tests on a virtual machine, with its checks of what natives do.

    Args:
      name: of the target.
      jars: with the tests and all that they use.
      classes: the test classes.
      native_library: what System.loadLibrary finds.
      data: files that the tests read; the property `test.data` is the directory of the first one.
      kotlin: the directory of Kotlin's jars, where the tests need them.
      size: as for every test.
      tags: as for every test.
    """
    py_unit_test(
        name = name,
        size = size,
        srcs = ["//bazel:junit_test.py"],
        data = jars + data + kotlin + [native_library, JDK],
        env = {
            "JAVA_CLASSES": " ".join(classes),
            "JAVA_DATA": "$(rootpath {})".format(data[0]) if data else "",
            "JAVA_HOME_OF_TEST": "$(rootpath {})".format(JDK),
            "JAVA_JARS": " ".join(["$(rootpath {})".format(jar) for jar in jars]),
            "JAVA_KOTLIN": " ".join(["$(rootpath {})".format(directory) for directory in kotlin]),
            "JAVA_LIBRARY": "$(rootpath {})".format(native_library),
        },
        tags = tags,
    )
