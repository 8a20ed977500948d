"""ETRecord: what the compiler knows about a program, so that a run can be traced to the model's source."""

from executorch.devtools.etrecord._etrecord import ETRecord, generate_etrecord, parse_etrecord
from executorch.exir.etrecord_hook import register_record_type

register_record_type(ETRecord)

__all__ = ["ETRecord", "generate_etrecord", "parse_etrecord"]
