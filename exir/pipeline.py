"""The lowering on one page: its stages as values that can be printed, extended and stopped.

::

    from executorch.exir.pipeline import EDGE, EXECUTION, EdgeSettings, Stage

    print(EXECUTION)
    stages = EDGE.insert_after("scalars", Stage("mine", lambda settings: [MyPass()]))
    edge = to_edge(program, compile_config=EdgeCompileConfig(pipeline=stages))
    core = EDGE.until("decompose").run({"forward": program}, {"forward": EdgeSettings()})["forward"]

``python -m executorch.exir.pipeline`` prints the tables of ``docs/pipeline.md``.
"""

from executorch.exir.delegation import DELEGATED, DELEGATION, DelegationSettings
from executorch.exir.edge_lowering import ATEN, CAPTURED, EDGE, EDGE_DIALECT, EdgeSettings
from executorch.exir.execution_lowering import EXECUTION, EXECUTION_FORM, PLANNED, ExecutionSettings
from executorch.exir.stages import Asked, Form, JointStage, Pipeline, ProgramStep, Stage

#: The pipelines in the order in which a model goes through them.
PIPELINES = (EDGE, DELEGATION, EXECUTION)

__all__ = [
    "ATEN",
    "CAPTURED",
    "DELEGATED",
    "DELEGATION",
    "EDGE",
    "EDGE_DIALECT",
    "EXECUTION",
    "EXECUTION_FORM",
    "PIPELINES",
    "PLANNED",
    "Asked",
    "DelegationSettings",
    "EdgeSettings",
    "ExecutionSettings",
    "Form",
    "JointStage",
    "Pipeline",
    "ProgramStep",
    "Stage",
]

if __name__ == "__main__":
    for pipeline in PIPELINES:
        print(f"{pipeline.name}\n\n{pipeline.table()}")
