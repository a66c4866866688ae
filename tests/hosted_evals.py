"""A server that plays the OpenAI Evals API, with one eval and one run of it."""

from agentevals.judge.evals_api import Clock
from tests.servers import as_json

PATH = "/v1/evals/eval_1"


class FakeClock:
    """Time that passes only by sleeping."""

    def __init__(self):
        self.time = 0.0

    def now(self):
        return self.time

    def sleep(self, seconds):
        self.time += seconds

    @property
    def clock(self):
        return Clock(self.now, self.sleep)


def item(number, score, **fields):
    result = {"name": "sim", "score": score, "passed": score >= 0.8, "sample": None}
    return {
        "id": f"item_{number}",
        "object": "eval.run.output_item",
        "datasource_item_id": number,
        "status": "pass" if score >= 0.8 else "fail",
        "results": [result],
        "sample": {"error": None},
        **fields,
    }


class Hosted:
    """The API, with one eval and one run of it."""

    def __init__(self, *items, statuses=("completed",), page=20, **answers):
        self.items, self.statuses, self.page = items, list(statuses), page
        self.answers, self.run = answers, {"id": "run_1", "result_counts": self.counts}

    @property
    def counts(self):
        passed = sum(i["status"] == "pass" for i in self.items)
        errored = sum(i["status"] == "error" for i in self.items)
        failed = len(self.items) - passed - errored
        return {"passed": passed, "failed": failed, "errored": errored, "total": len(self.items)}

    def __call__(self, seen):
        path, _, query = seen.path.partition("?")
        deed = {
            ("POST", "/v1/evals"): "create",
            ("POST", f"{PATH}/runs"): "start",
            ("GET", f"{PATH}/runs/run_1"): "poll",
            ("POST", f"{PATH}/runs/run_1"): "cancel",
            ("GET", f"{PATH}/runs/run_1/output_items"): "list",
            ("DELETE", PATH): "delete",
        }[seen.method, path]
        return self.answers.get(deed) or getattr(self, deed)(query)

    def create(self, query):
        return as_json({"id": "eval_1", "object": "eval"}, 201)

    def start(self, query):
        return as_json(self.run | {"status": "queued"}, 201)

    def poll(self, query):
        status = self.statuses.pop(0) if len(self.statuses) > 1 else self.statuses[0]
        counts = [{"testing_criteria": "sim", "passed": 1, "failed": 1}]
        return as_json(self.run | {"status": status, "per_testing_criteria_results": counts})

    def cancel(self, query):
        return as_json(self.run | {"status": "canceled"})

    def list(self, query):
        after = query.removeprefix("after=")
        begin = 1 + [i["id"] for i in self.items].index(after) if after else 0
        shown = self.items[begin : begin + self.page]
        more = begin + self.page < len(self.items)
        last = shown[-1]["id"] if shown else None
        return as_json({"object": "list", "data": shown, "has_more": more, "last_id": last})

    def delete(self, query):
        return as_json({"object": "eval.deleted", "deleted": True})


def environ(server):
    return {"OPENAI_BASE_URL": f"{server.url}/v1", "OPENAI_API_KEY": " sk-test "}


def deeds(server):
    return [f"{seen.method} {seen.path.removeprefix('/v1/evals')}" for seen in server.seen]
