"""What a run came to: the exit code, the document it printed, what an evaluator was sent."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.conformance.agentevals_model.inputs import Inputs
from tests.conformance.agentevals_model.turns import Turn

Told = dict[str, Any]


@dataclass
class Picture:
    """What was recorded, until decisions have changed it to what ours has to say."""

    exit: int
    document: Told | None
    stdin: Told | None = None
    # where a table was printed: the marks of each metric, in the order of conversations
    marks: dict[str, list[str]] = field(default_factory=dict)

    def as_dict(self) -> Told:
        """The same, to be compared part by part."""
        told = {"exit": self.exit, "stdin": self.stdin, "marks": self.marks}
        return told | (self.document or {})

    @property
    def traces(self) -> list[Told]:
        return list((self.document or {}).get("traces", ()))

    @property
    def metrics(self) -> Iterator[Told]:
        for trace in self.traces:
            yield from trace["metrics"]

    @property
    def sent(self) -> Iterator[Told]:
        """What evaluators were sent, where they have told."""
        if self.stdin is not None:
            yield self.stdin
        for metric in self.metrics:
            if isinstance(found := (metric.get("details") or {}).get("sent"), dict):
                yield found

    def settle(self) -> None:
        """End as agentevals-cli does: only what has failed, or is in error, fails the run."""
        errors = bool((self.document or {}).get("errors"))
        bad = errors or any(m["error"] or m["eval_status"] == "FAILED" for m in self.metrics)
        self.exit = int(bad)

    def list_turns(self, inputs: Inputs) -> Iterator[tuple[Told, Turn]]:
        """Each turn that was sent, beside its spans."""
        for sent in self.sent:
            for invocation in sent["invocations"]:
                turn = inputs.find_turn(invocation["invocation_id"])
                if turn is not None:
                    yield invocation, turn

    def list_comparisons(self) -> Iterator[tuple[Told, list[Told]]]:
        """Each metric that has compared calls, with its comparisons."""
        for metric in self.metrics:
            found = (metric.get("details") or {}).get("comparisons")
            if metric["metric_name"] == "tool_trajectory_avg_score" and found is not None:
                yield metric, found
