"""eyechart measures how well a vision-language model points, counts, answers and describes."""

from __future__ import annotations

# not imported from typing: that alone would take as long as Python takes to start
TYPE_CHECKING = False

__version__ = "0.1.0"

# public name -> module that holds it; each is imported when it is first touched
_HOMES = {
    "Answer": "eyechart.values",
    "Answers": "eyechart.values",
    "Benchmark": "eyechart.benchmarks",
    "Boxes": "eyechart.values",
    "Captions": "eyechart.values",
    "Count": "eyechart.values",
    "EyechartError": "eyechart.errors",
    "GroundingEvaluator": "eyechart.evaluators",
    "Image": "eyechart.values",
    "Reply": "eyechart.values",
    "Request": "eyechart.values",
    "Run": "eyechart.runs.handle",
    "Sample": "eyechart.values",
    "Template": "eyechart.values",
    "VQAEvaluator": "eyechart.evaluators",
    "benchmark": "eyechart.benchmarks",
    "compare": "eyechart.api",
    "load": "eyechart.api",
    "probe": "eyechart.api",
    "report": "eyechart.api",
    "run": "eyechart.api",
    "run_suite": "eyechart.api",
    "score": "eyechart.api",
}

__all__ = [
    "Answer",
    "Answers",
    "Benchmark",
    "Boxes",
    "Captions",
    "Count",
    "EyechartError",
    "GroundingEvaluator",
    "Image",
    "Reply",
    "Request",
    "Run",
    "Sample",
    "Template",
    "VQAEvaluator",
    "benchmark",
    "compare",
    "load",
    "probe",
    "report",
    "run",
    "run_suite",
    "score",
]

if TYPE_CHECKING:
    from typing import Any

    from eyechart.api import compare, load, report, run, run_suite, score
    from eyechart.benchmarks import Benchmark, benchmark
    from eyechart.errors import EyechartError
    from eyechart.evaluators import GroundingEvaluator, VQAEvaluator
    from eyechart.runs.handle import Run
    from eyechart.values import (
        Answer,
        Answers,
        Boxes,
        Captions,
        Count,
        Image,
        Reply,
        Request,
        Sample,
        Template,
    )


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'eyechart' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
