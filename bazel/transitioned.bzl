"""What rules share that build a program in another configuration than the rest of the build."""

def transitioned_binary(ctx):
    """The rule's own name for the program of its attribute `binary`, which a transition configures.

    Args:
      ctx: of a rule with an executable attribute `binary`.

    Returns:
      DefaultInfo with the program.
    """

    # A transition may give several; those here give one.
    binary = ctx.attr.binary[0] if type(ctx.attr.binary) == type([]) else ctx.attr.binary
    program = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.symlink(
        is_executable = True,
        output = program,
        target_file = binary[DefaultInfo].files_to_run.executable,
    )
    return DefaultInfo(files = depset([program]), runfiles = ctx.runfiles([program]), executable = program)
