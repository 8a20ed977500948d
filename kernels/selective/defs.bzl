"""`selected_operators`: which operators a binary needs, from lists, yaml files and programs together."""

_SELECT = Label("//kernels/selective:select")

def selected_operators(name, ops = [], yamls = [], models = [], visibility = ["//visibility:public"], **kwargs):
    """A selection for the `selection` attribute of `executorch_kernel_library`.

    Makes NAME.yaml, and NAME.report.txt with the same for people.

    Args:
      name: of the target.
      ops: operators, such as `aten::add.out`.
      yamls: functions.yaml files, of which all operators are taken, or other selections.
      models: .pte files, of which the operators and the dtypes of their calls are taken.
      visibility: of the targets.
      **kwargs: as for every rule, such as `testonly`.
    """
    native.genrule(
        name = name,
        srcs = yamls + models,
        outs = [name + ".yaml", name + ".report.txt"],
        cmd = " ".join(
            ["$(execpath {}) --out $(RULEDIR)/{}.yaml --report $(RULEDIR)/{}.report.txt".format(_SELECT, name, name)] +
            ["--ops '{}'".format(",".join(ops))] +
            ["--yaml $(execpath {})".format(file) for file in yamls] +
            ["--model $(execpath {})".format(file) for file in models],
        ),
        message = "Selecting operators",
        tools = [_SELECT],
        visibility = visibility,
        **kwargs
    )
