"""What a run of ADK was given, as the rules about it read it: keys in one spelling."""

import re
from dataclasses import dataclass
from typing import Any

Recorded = dict[str, Any]

_OWN_VALUES = frozenset({"args", "response", "part_metadata", "final_session_state"})
_CAPITAL = re.compile(r"(?<=[a-z0-9])([A-Z])")


def _spell(given: Any) -> Any:
    """Keys in snake case; what is the user's own stays."""
    if isinstance(given, list):
        return [_spell(each) for each in given]
    if not isinstance(given, dict):
        return given
    named = {_CAPITAL.sub(lambda m: "_" + m[1].lower(), key): v for key, v in given.items()}
    return {key: v if key in _OWN_VALUES else _spell(v) for key, v in named.items()}


@dataclass(frozen=True)
class Facts:
    """One metric of one case: what it was given, and what a judge was told to say."""

    metric: str
    case: Recorded
    turns: list[Recorded]
    criterion: Recorded
    own: Recorded
    script: list[str]

    @property
    def expected(self) -> list[Recorded] | None:
        return self.case.get("conversation")

    @property
    def uneven(self) -> bool:
        return self.expected is not None and len(self.expected) != len(self.turns)

    @property
    def threshold(self) -> float:
        return float(self.criterion["threshold"])

    @property
    def samples(self) -> int:
        return int((self.criterion.get("judge_model_options") or {}).get("num_samples", 5))

    @property
    def has_unknown_calls(self) -> bool:
        """A recorded turn says nothing about what happened in it."""
        return any(turn.get("intermediate_data") is None for turn in self.turns)

    @property
    def interval(self) -> tuple[float, float]:
        info = (self.own.get("metric_info") or {}).get("metric_value_info") or {}
        interval = info.get("interval") or {}
        return interval.get("min_value", 0.0), interval.get("max_value", 1.0)

    @property
    def function(self) -> str:
        return str((self.own.get("code_config") or {}).get("name", "")).rpartition(".")[2]

    def share(self, score: float | None) -> float | None:
        """A score of the user's own metric as a share of its range (5.5)."""
        if score is None:
            return None
        least, most = self.interval
        return min(1.0, max(0.0, (score - least) / (most - least)))


def read_text(content: Recorded | None) -> str:
    """What ADK reads of a message: the texts of its parts, line by line."""
    parts = (content or {}).get("parts") or []
    return "\n".join(part["text"] for part in parts if part.get("text"))


def collect(given: Recorded, eval_id: str, metric: str) -> Facts:
    """The facts about one metric of one case."""
    config = {
        key.replace("customMetrics", "custom_metrics"): v for key, v in given["config"].items()
    }
    criterion = config["criteria"][metric]
    written = criterion if isinstance(criterion, dict) else {"threshold": criterion}
    cases = [_spell(case) for case in given["eval_set"]["eval_cases"]]
    return Facts(
        metric=metric,
        case=next(case for case in cases if case["eval_id"] == eval_id),
        turns=_spell(given["actual"][eval_id]),
        criterion=_spell(written),
        own=_spell((config.get("custom_metrics") or {}).get(metric) or {}),
        script=given.get("judge", {}).get(f"scripted-{metric} {eval_id}") or ["nothing to say"],
    )
