"""Runs projects with the library of `uipath`, all in one process; inside its own environment.

Reads `[[folder, url of the judge], …]` on stdin. What came of each is written to its folder.
"""

import asyncio
import json
import os
import sys
from pathlib import Path

from opentelemetry import trace
from opentelemetry.util._once import Once
from uipath._cli._utils._tracing import create_trace_manager
from uipath.core.events import EventBus
from uipath.core.tracing import trace_manager
from uipath.eval.helpers import EvalHelpers
from uipath.eval.runtime import UiPathEvalContext, evaluate
from uipath.functions.factory import UiPathFunctionsRuntimeFactory
from uipath.runtime import UiPathRuntimeContext
from uipath.tracing import JsonLinesFileExporter

SET = "evaluations/eval-sets/set.json"


async def run_project() -> None:
    """As `uipath eval main SET --verbose` does, in the current folder."""
    manager = create_trace_manager()
    factory = UiPathFunctionsRuntimeFactory("uipath.json")
    manager.add_span_exporter(JsonLinesFileExporter("trace.jsonl"))
    context = UiPathEvalContext()
    context.entrypoint, context.execution_id, context.verbose = "main", "run", True
    context.evaluation_set, path = EvalHelpers.load_eval_set(SET, [])
    runtime = await factory.new_runtime("main", "run")
    context.runtime_schema = await runtime.get_schema()
    context.evaluators = await EvalHelpers.load_evaluators(path, context.evaluation_set)
    with UiPathRuntimeContext.with_defaults(
        output_file="output.json", trace_manager=manager, command="eval"
    ) as around:
        around.result = await evaluate(factory, manager, context, EventBus())
    manager.flush_spans()
    await factory.dispose()


def main() -> None:
    for folder, url in json.load(sys.stdin):
        os.chdir(folder)
        os.environ["UIPATH_URL"] = url
        # as in a process of its own: what a run has added to the provider stays there
        trace._TRACER_PROVIDER, trace._TRACER_PROVIDER_SET_ONCE = None, Once()
        trace_manager._DelegatingSpanProcessor._instance = None
        refused = None
        try:
            asyncio.run(run_project())
        except Exception as error:  # noqa: BLE001 -- whatever it is, it is what came of the case
            refused = str(error)
        Path("refused.json").write_text(json.dumps(refused), encoding="utf-8")


if __name__ == "__main__":
    main()
