"""Prints the table of an ETDump.

python -m executorch.devtools.inspector.inspector_cli --etdump_path=run.etdp [--etrecord_path=model.etrecord]
"""

from __future__ import annotations

from collections.abc import Sequence

from absl import app, flags

from executorch.devtools.inspector import Inspector, TimeScale, compare_results

_SCALES = [scale.value for scale in TimeScale]
_ETDUMP = flags.DEFINE_string("etdump_path", None, "The ETDump.", required=True)
_ETRECORD = flags.DEFINE_string("etrecord_path", None, "The ETRecord, to name what operators come from.")
_BUFFER = flags.DEFINE_string("buffer_path", None, "The debug buffer with logged values.")
_TSV = flags.DEFINE_string("tsv_path", None, "Where to write the table with tabs between columns.")
_TIMELINE = flags.DEFINE_string(
    "timeline_path", None, "Where to write the runs as a Chrome trace, for chrome://tracing or Perfetto."
)
_SOURCE = flags.DEFINE_enum("source_time_scale", "ns", _SCALES, "The unit of times in the ETDump.")
_TARGET = flags.DEFINE_enum("target_time_scale", "ms", _SCALES, "The unit of times in the table.")
_COMPARE = flags.DEFINE_bool(
    "compare_results", False, "Compare logged outputs with the reference outputs of the ETRecord."
)


def main(argv: Sequence[str]) -> None:
    """Reads the flags and prints."""
    if len(argv) > 1:
        raise app.UsageError(f"unexpected arguments {argv[1:]}")
    inspector = Inspector(
        etdump_path=_ETDUMP.value,
        etrecord=_ETRECORD.value,
        debug_buffer_path=_BUFFER.value,
        source_time_scale=TimeScale(_SOURCE.value),
        target_time_scale=TimeScale(_TARGET.value),
    )
    inspector.print_data_tabular()
    if _TSV.value is not None:
        with open(_TSV.value, "w", encoding="utf-8") as file:
            inspector.save_data_to_tsv(file)
    if _TIMELINE.value is not None:
        with open(_TIMELINE.value, "w", encoding="utf-8") as file:
            inspector.save_timeline(file)
    if _COMPARE.value:
        for block in inspector.event_blocks:
            if block.reference_output is not None and block.run_output:
                print(block.name, compare_results(block.reference_output, block.run_output))


if __name__ == "__main__":
    app.run(main)
