"""An agent for `adk eval` that does nothing: what it did lies in case.json, as invocations."""

import json
from pathlib import Path

import scripted_judge
from google.adk.agents.base_agent import BaseAgent
from google.adk.evaluation import base_eval_service as services
from google.adk.evaluation.local_eval_service import LocalEvalService
from pydantic import TypeAdapter

GIVEN = json.loads(Path("case.json").read_text(encoding="utf-8"))
scripted_judge.begin(GIVEN.get("judge", {}))
READ = TypeAdapter(list[services.Invocation])


class Replayed(BaseAgent):
    """Never asked."""


async def infer(self, inference_request):
    for eval_id, did in GIVEN["actual"].items():
        yield services.InferenceResult(
            app_name=inference_request.app_name,
            eval_set_id=inference_request.eval_set_id,
            eval_case_id=eval_id,
            inferences=READ.validate_json(json.dumps(did)),
            session_id=f"session-{eval_id}",
            status=services.InferenceStatus.SUCCESS,
        )


LocalEvalService.perform_inference = infer
root_agent = Replayed(name="replayed")
