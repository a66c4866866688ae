"""`baseline: merge-base`: what is committed where the branch left its base, scored now."""

import json

import pytest

from tests.action.job import TRAJECTORY, agent, config
from tests.judge.models import completion
from tests.servers import serve

WORSE = agent(failing=["paris"])
JUDGED = {"name": "final_response_match_v2", "type": "builtin"}


def against(done):
    return done.report["sections"][0]["against"]


def compared(job, done):
    origin = against(done)["origin"]
    assert (origin["source"], origin["commit"]) == ("merge-base", job.base)
    return done.outputs["regressed"], done.outputs["improved"]


@pytest.fixture
def pull(job):
    return job.pull_request(agent(failing=["rome"]), WORSE).given(baseline="merge-base")


def test_with_the_history_here_nothing_is_asked(pull):
    done = pull.run()

    assert compared(pull, done) == ("1", "1")
    assert pull.github.requests("GET", "/tarball/") == []


def test_a_base_of_which_nothing_passes_is_compared_with_as_well(job):
    cities = agent(failing=["oslo", "paris", "quito", "rome"])
    done = job.pull_request(cities, agent()).given(baseline="merge-base").run()

    assert compared(job, done) == ("0", "4")


def test_a_shallow_checkout_gets_its_files_from_github(pull):
    pull.checkout(pull.head, shallow=True)

    done = pull.run()

    assert compared(pull, done) == ("1", "1")
    (asked,) = pull.github.requests("GET", "/tarball/")
    assert asked.path.endswith(pull.base)


def test_a_shallow_checkout_without_a_token_says_what_to_do(pull):
    pull.checkout(pull.head, shallow=True).given(github_token="")

    done = pull.run()

    assert done.code == 1
    assert "check out with 'fetch-depth: 0'" in against(done)["reason"]


def test_the_base_is_where_the_branch_left_it_also_in_a_shallow_checkout(job):
    job.pull_request(agent(failing=["rome"]), agent(failing=["rome", "paris"]))
    tip = job.origin.commit(agent(), on=job.base)
    job.on("pull_request", job.head, tip).given(baseline="merge-base")
    job.place.merge_bases[f"{tip}...{job.head}"] = job.base
    job.checkout(job.head, shallow=True)

    assert compared(job, job.run()) == ("1", "0")


WITHOUT_TRACES = {name: agent()[name] for name in ("eval_config.yaml", "eval_set.json")}


@pytest.mark.parametrize(
    ("base", "reason"),
    [
        ({"README.md": "No config yet."}, "eval_config.yaml is not in the base"),
        (agent() | {"eval_config.yaml": "evaluators: [{}]"}, "eval_config.yaml:1:14: 'type'"),
        (WITHOUT_TRACES, "nothing that is committed in the base can be scored"),
    ],
    ids=["no config", "a broken one", "no traces"],
)
def test_a_base_that_cannot_be_scored_is_a_reason(job, base, reason):
    job.pull_request(base, WORSE).given(baseline="merge-base")

    done = job.run()

    assert done.code == 1
    assert against(done)["state"] == "no-baseline"
    assert against(done)["reason"].startswith(reason)


def test_a_broken_archive_is_a_reason(pull):
    pull.checkout(pull.head, shallow=True)
    pull.place.tarballs[pull.base] = b"this is no tarball"

    done = pull.run()

    assert (done.code, against(done)["state"]) == (1, "no-baseline")


def test_a_push_is_compared_with_the_push_before_it(job):
    job.pushed(agent(failing=["rome"])).given(baseline="merge-base")
    before = job.base
    job.pushed(WORSE)

    done = job.run()

    assert (done.outputs["regressed"], done.outputs["improved"]) == ("1", "1")
    assert against(done)["origin"]["commit"] == before


def test_in_a_folder_of_a_monorepo_paths_mean_the_same_in_both_trees(job):
    def below(files):
        return {f"agents/weather/{name}": text for name, text in files.items()}

    job.pull_request(below(agent()), below(WORSE))
    job.given(working_directory="agents/weather", traces="traces/*", baseline="merge-base")

    assert compared(job, job.run()) == ("1", "0")


class TestJudged:
    """A judge costs money, and so it is asked about the head alone."""

    @pytest.fixture
    def server(self):
        with serve(lambda _: completion({"reasoning": "r", "verdict": "valid"})) as served:
            yield served

    @pytest.fixture
    def pull(self, job, server):
        job.environ["OPENAI_API_KEY"] = "sk-test-1234567890"
        return job.pull_request(files(server), files(server, failing=["paris"]))

    def test_the_base_costs_no_question(self, pull, server):
        pull.given(baseline="merge-base").run()
        asked = len(server.seen)
        pull.given(baseline="none").run()

        assert asked == len(server.seen) / 2 > 0

    def test_what_needs_no_judge_is_compared_and_the_rest_is_said_not_to_be(self, pull):
        done = pull.given(baseline="merge-base").run()

        assert compared(pull, done) == ("1", "0")
        assert against(done)["state"] == "incompatible"
        assert against(done)["reason"] == (
            "no judge was asked about the base, which only one can judge: final_response_match_v2"
        )
        changes = {gate["figure"]: gate["change"] for gate in done.report["sections"][0]["gates"]}
        assert changes["evaluator:final_response_match_v2"] == "incompatible"

    def test_with_nothing_but_judges_there_is_no_baseline(self, job, server):
        job.environ["OPENAI_API_KEY"] = "sk-test-1234567890"
        job.pull_request(files(server, JUDGED), files(server, JUDGED, failing=["paris"]))

        done = job.given(baseline="merge-base").run()

        assert against(done)["reason"].endswith("can be scored without a judge")


def files(server, *evaluators, failing=()):
    judge = {"model": "judge-1", "base_url": f"{server.url}/v1", "cache": False}
    answered = json.loads(agent()["eval_set.json"])
    for case in answered["eval_cases"]:
        case["conversation"][0]["final_response"] = {"parts": [{"text": "It is sunny."}]}
    return agent(failing=failing) | {
        "eval_config.yaml": config(*(evaluators or (TRAJECTORY, JUDGED)), judge=judge),
        "eval_set.json": json.dumps(answered, indent=1),
    }
