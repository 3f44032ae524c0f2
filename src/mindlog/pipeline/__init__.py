"""The pattern every operation follows: a list of stages, run for a job, with every stage on the record.

`run(steps, job, observer)` is all there is to call. Knows no memory, SQL or HTTP.
"""

from mindlog.pipeline.context import current_stage, record_inference
from mindlog.pipeline.observer import Fanout, Observer, Pending, StageRecord, StageStatus, Timeline, describe
from mindlog.pipeline.runner import UNOBSERVED, run, run_here
from mindlog.pipeline.steps import ADVISORY, FATAL, Each, Policy, Stage, Steps, Stop, names

__all__ = [
    "ADVISORY",
    "FATAL",
    "UNOBSERVED",
    "Each",
    "Fanout",
    "Observer",
    "Pending",
    "Policy",
    "Stage",
    "StageRecord",
    "StageStatus",
    "Steps",
    "Stop",
    "Timeline",
    "current_stage",
    "describe",
    "names",
    "record_inference",
    "run",
    "run_here",
]
