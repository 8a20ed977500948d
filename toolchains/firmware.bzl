"""What a flash programmer takes, out of a linked firmware: the bare image (`.bin`) and USB flashing format (`.uf2`)."""

load(":targets.bzl", "TARGETS")

# By these numbers a boot loader knows whether a file is for its chip; the others take a file that names none.
_FAMILIES = {
    "cortex_m33": "0xe48bff59",  # RP2350, Arm
}

def _image_impl(ctx):
    outs = [ctx.actions.declare_file(ctx.label.name + suffix) for suffix in [".bin", ".uf2"]]
    arguments = ctx.actions.args()
    arguments.add(ctx.file.firmware)
    arguments.add_all(outs)
    if ctx.attr.platform in _FAMILIES:
        arguments.add("--family", _FAMILIES[ctx.attr.platform])
    ctx.actions.run(
        arguments = [arguments],
        executable = ctx.executable._tool,
        inputs = [ctx.file.firmware],
        mnemonic = "FirmwareImage",
        outputs = outs,
    )
    return DefaultInfo(files = depset(outs))

firmware_image = rule(
    implementation = _image_impl,
    doc = "NAME.bin and NAME.uf2 of an ELF file.",
    attrs = {
        "firmware": attr.label(allow_single_file = True, mandatory = True),
        "platform": attr.string(mandatory = True, values = TARGETS.keys()),
        "_tool": attr.label(default = ":firmware_image", executable = True, cfg = "exec"),
    },
)
