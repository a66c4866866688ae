"""UiPath's evaluators, as UiPath has them and as our decisions have them.

A model computes a value of the inputs. Without any decision it has to be what was recorded; with
all of them it is what ours has to say.
"""

from collections.abc import Callable
from typing import Any

from tests.conformance.uipath_judged import Judged
from tests.conformance.uipath_models import calls, legacy, outputs, tables
from tests.conformance.uipath_models.outcomes import BrokenItemError, EvaluatorError

Value = dict[str, Any]
Model = Callable[[Judged, frozenset[str]], Value]

# the decisions that the models know
DECISIONS = frozenset(
    {"1.3", "1.6", "1.11", "2.2", "4.6", "4.7", "4.9", "4.10", "4.11", "7.20", "7.21", "7.22"}
    | {"7.23", "7.24"}
)
_THRESHOLD = 0.8
_PERCENT = 100
_CALLS = ("tool_call_order", "tool_call_count", "tool_call_args", "tool_call_output")
_OUTPUTS = ("exact_match", "contains", "json_similarity")
_CLASSES = ("binary_classification", "multiclass_classification")
_TRAJECTORY = "llm_judge_trajectory"
_ERROR = {"status": "ERROR"}
_UNKNOWN = {"status": "NOT_EVALUATED"}


def compute(judged: Judged, recorded: Value, decided: frozenset[str]) -> Value:
    """Compute a value as it is under some decisions; those of a class change what it has said."""
    if "1.6" not in decided and _is_broken(judged):
        return {"score": 0.0}
    if "1.11" in decided and _lacks_evidence(judged):
        return _UNKNOWN
    try:
        failed = bool(judged.played.get("raises"))
        value = {"score": 0.0} if failed else _compute(judged, recorded, decided)
    except EvaluatorError:
        return _ERROR
    except BrokenItemError:
        return _ERROR
    if "status" in value or not value:
        return value
    least = judged.config.get("threshold", _THRESHOLD)
    return {**value, "status": "PASSED" if value["score"] >= least else "FAILED"}


def _compute(judged: Judged, recorded: Value, decided: frozenset[str]) -> Value:
    if judged.kind in _CALLS:
        return calls.judge(judged, decided)
    if judged.kind in _OUTPUTS:
        return outputs.judge(judged, decided)
    if judged.kind in _CLASSES:
        return outputs.classify(judged, decided)
    if judged.kind == "legacy_csv_exact_match":
        return tables.judge(judged, decided)
    if judged.kind.startswith("legacy"):
        return legacy.judge(judged, decided)
    return _decide_class(judged, recorded, decided) if judged.body else _ask(judged, decided)


def _ask(judged: Judged, decided: frozenset[str]) -> Value:
    """The answer of a judge, of 100; one that is no number up to 100 is an error here."""
    if not judged.kind.startswith(_TRAJECTORY):
        outputs.find_sides(judged, decided)
    score = judged.given["judge"]["score"]
    if "7.23" in decided and (isinstance(score, str) or not 0 <= score <= _PERCENT):
        raise EvaluatorError
    return {"score": max(0.0, min(1.0, round(float(score) / _PERCENT, 2)))}


def _decide_class(judged: Judged, recorded: Value, decided: frozenset[str]) -> Value:
    """A yes is 1, a score is from 0 to 1, an error is no 0, and a plain function will do."""
    if judged.body == "sync" and "7.24" in decided:
        return {"score": judged.config.get("share", 0.25)}
    if _is_broken(judged) and recorded == {"score": 0.0}:
        return {}  # it was asked after the item had broken: nobody knows what it would have said
    if recorded.get("details") == "cannot be judged" and "1.3" in decided:
        return _ERROR
    if judged.body == "boolean" and "4.6" in decided and "score" in recorded:
        return {**recorded, "score": recorded["score"] / _PERCENT}
    if "2.2" in decided and not 0 <= recorded.get("score", 0.0) <= 1:
        return _ERROR
    return recorded


def _is_broken(judged: Judged) -> bool:
    """Whether the evaluation of the item as a whole has failed: by the agent, or an evaluator."""
    if judged.played.get("raises"):
        return True
    for name in judged.given["evaluators"]:
        other = Judged(judged.given, judged.item, name)
        if other.is_asked and (other.kind in _OUTPUTS or other.kind.startswith("legacy")):
            try:
                _compute(other, {}, frozenset())
            except BrokenItemError:
                return True
            except EvaluatorError:
                continue
    return False


def _lacks_evidence(judged: Judged) -> bool:
    """Whether the recording does not show what the evaluator looks at."""
    spans = judged.tool_spans
    if judged.kind not in _CALLS and not judged.kind.startswith(_TRAJECTORY):
        return False
    if judged.kind == "tool_call_output" and not all("output.value" in span for span in spans):
        return True
    needs_args = judged.kind == "tool_call_args" or judged.kind.startswith(_TRAJECTORY)
    if needs_args and not all("input.value" in span for span in spans):
        return True
    return not spans and not judged.played.get("raises")
