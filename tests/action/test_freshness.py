"""Whether what is judged is the agent of this pull request, and what the step says if not."""

import json
import re
from pathlib import Path

import pytest

from agentevals.files.agent_files import AgentFiles
from agentevals.model.provenance import PREFIX
from tests.action.job import CITIES, TRAJECTORY, config, eval_set, write

AGENT = {"agent.py": "prompt = 'Be kind.'\n", "prompts/system.md": "Be kind.\n"}
LISTED = ["agent.py", "prompts"]


def span(number, name, **attributes):
    given = [{"key": key, "value": {"stringValue": value}} for key, value in attributes.items()]
    return {
        "traceId": f"{number:032x}",
        "spanId": f"{abs(hash(name)) % 10**8:016x}"
        if name == "invoke_agent"
        else f"{number + 900:016x}",
        "name": name,
        "startTimeUnixNano": str(number * 1000),
        "endTimeUnixNano": str(number * 1000 + 9),
        "attributes": given,
    }


def recording(number, case, digest, *, right=True):
    """What `record` writes: a turn with two tools, of the agent with that digest."""
    asked = [{"role": "user", "parts": [{"type": "text", "content": "How is the weather?"}]}]
    said = [{"role": "assistant", "parts": [{"type": "text", "content": "It is sunny."}]}]
    root = span(
        number,
        "invoke_agent",
        **{
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.input.messages": json.dumps(asked),
            "gen_ai.output.messages": json.dumps(said),
            "agentevals.eval.case.id": case,
        },
    )
    spans = [root]
    for at, tool in enumerate(("geocode", "forecast") if right else ("forecast",)):
        call = span(
            number * 10 + at,
            "execute_tool",
            **{
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": tool,
                "gen_ai.tool.call.arguments": "{}",
                "gen_ai.tool.call.result": "ok",
            },
        )
        spans.append(call | {"traceId": root["traceId"], "parentSpanId": root["spanId"]})
    digests = {"arrayValue": {"values": [{"stringValue": digest}]}}
    attributes = [{"key": f"{PREFIX}agents", "value": digests}] if digest else []
    resource = {"attributes": attributes}
    scope = {"scope": {"name": "weather"}, "spans": spans}
    return json.dumps({"resourceSpans": [{"resource": resource, "scopeSpans": [scope]}]}) + "\n"


def digest_of(tmp_path_factory, files, listed=LISTED):
    folder = tmp_path_factory.mktemp("agent")
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(text) if isinstance(text, Path) else path.write_text(text)
    return AgentFiles(folder, tuple(listed), unpacked=True).compute_digest()


@pytest.fixture
def tree(tmp_path_factory):
    """All files of the repository; the recordings are of the agent with the files `of`."""

    def made(agent=AGENT, of=None, listed=LISTED, failing=(), **keys):
        shown = agent if of is None else of
        digest = digest_of(tmp_path_factory, shown, listed) if shown else ""
        known = {"agent": listed} if listed else {}
        return (
            agent
            | {"eval_config.yaml": config(TRAJECTORY, **known, **keys)}
            | {"eval_set.json": eval_set(*CITIES)}
            | {
                f"traces/{case}.jsonl": recording(at, case, digest, right=case not in failing)
                for at, case in enumerate(CITIES, start=1)
            }
        )

    return made


def check(job):
    (found,) = [c for c in job.place.checks.values() if c["head_sha"] == job.head]
    return found["conclusion"], found["output"]["title"]


CHANGED = AGENT | {"prompts/system.md": "Be rude.\n"}


def test_a_change_of_the_agent_with_a_new_recording_is_judged(job, tree):
    done = job.pull_request(tree(), tree(CHANGED)).run()

    assert (done.code, done.outputs["verdict"]) == (0, "passed"), done.log
    assert check(job) == ("success", "Ready to merge: all 4 cases passed.")
    assert done.report["sections"][0]["freshness"]["fresh"] == 4


def test_a_change_of_the_agent_without_a_new_recording_is_not_evaluated_and_fails(job, tree):
    done = job.pull_request(tree(), tree(CHANGED, of=AGENT)).run()

    assert (done.code, done.outputs["verdict"]) == (1, "not-evaluated")
    assert check(job) == (
        "failure",
        "Not evaluated: 4 of 4 recordings are of the agent before it was changed.",
    )
    assert "record it again with 'agentevals record'" in job.comments[0]


WRITTEN = [
    "prompts/venv/system.md",
    "prompts/node_modules/p.md",
    "prompts/x.pyc",
    "prompts/my.egg-info/p.md",
    "prompts/__pycache__/p.md",
]


@pytest.mark.parametrize("recorded", ["pull_request", "pull_request_target"])
@pytest.mark.parametrize("name", WRITTEN)
@pytest.mark.parametrize("listed", ["its folder", "by name"])
def test_a_committed_file_counts_whatever_it_is_called(job, tree, name, listed, recorded):
    files = AGENT | {name: "kind"}
    patterns = LISTED if listed == "its folder" else ["agent.py", name]
    head = tree(files | {name: "rude"}, of=files, listed=patterns)
    done = job.pull_request(tree(files, listed=patterns), head, recorded=recorded).run()

    assert (done.code, done.outputs["verdict"]) == (1, "not-evaluated")


@pytest.mark.parametrize("recorded", ["pull_request", "pull_request_target"])
@pytest.mark.parametrize("name", WRITTEN)
def test_its_new_recording_is_fresh_beside_caches_of_a_step(job, tree, name, recorded):
    files, changed = (AGENT | {name: text} for text in ("kind", "rude"))
    job.pull_request(tree(files), tree(changed), recorded=recorded)
    write(job.workspace, {"prompts/__pycache__/a.pyc": "x", "prompts/node_modules/b.md": "x"})

    done = job.run()

    assert (done.code, done.outputs["verdict"]) == (0, "passed"), done.log


def without_recordings(files):
    return {name: text for name, text in files.items() if not name.startswith("traces/")}


@pytest.mark.parametrize("left", [{}, {"traces/empty.jsonl": ""}], ids=["missing", "empty"])
@pytest.mark.parametrize("traces", ["traces/", "traces/*"])
def test_a_recording_that_did_not_arrive_is_one_that_is_not_fresh(job, tree, traces, left):
    base, head = (tree(agent, traces=traces) for agent in (AGENT, CHANGED))
    done = job.pull_request(base, without_recordings(head) | left).run()

    assert (done.code, done.outputs["verdict"]) == (1, "not-evaluated")
    assert check(job) == ("failure", "Not evaluated: no recording of the agent arrived.")


def test_neither_is_a_folder_without_one(job, tree):
    base, head = (tree(agent, traces="traces/") for agent in (AGENT, CHANGED))
    done = job.pull_request(base, without_recordings(head) | {"traces/README.md": "x"}).run()

    assert (done.code, done.outputs["verdict"]) == (1, "not-evaluated")
    assert check(job) == ("failure", "Not evaluated: no recording of the agent arrived.")


@pytest.mark.parametrize("recorded", ["pull_request_fork", "pull_request_target"])
def test_so_it_does_for_forks_and_by_the_rules_of_the_base(job, tree, recorded):
    done = job.pull_request(tree(), tree(CHANGED, of=AGENT), recorded=recorded).run()

    assert (done.code, done.outputs["verdict"]) == (1, "not-evaluated")


def test_a_fork_that_could_not_record_is_told_why(job, tree):
    base, head = tree(), without_recordings(tree(CHANGED))
    done = job.pull_request(base, head, recorded="pull_request_fork").run()

    assert done.code == 1
    assert "a run for a fork gets no secrets, so the agent had no key" in done.summary
    assert "troubleshooting.md#no-recording-arrived" in done.summary


LINKED = AGENT | {"prompts/tone.md": Path("../shared/tone.md"), "shared/tone.md": "Kind.\n"}


@pytest.mark.parametrize("of", ["stale", "fresh"])
def test_what_a_link_of_the_agent_leads_to_is_the_agent(job, tree, of):
    changed = LINKED | {"shared/tone.md": "Rude.\n"}
    head = tree(changed, of=LINKED if of == "stale" else changed)
    done = job.pull_request(tree(LINKED), head).run()

    verdict = (1, "not-evaluated") if of == "stale" else (0, "passed")
    assert (done.code, done.outputs["verdict"]) == verdict


def test_a_change_of_nothing_that_matters_is_not_affected(job, tree):
    done = job.pull_request(tree(), tree() | {"README.md": "An agent."}).run()

    assert (done.code, done.outputs["verdict"]) == (0, "not-affected")
    assert check(job) == (
        "success",
        "Not affected: the change touches neither the agent nor what judges it.",
    )


@pytest.mark.recorded
def test_so_it_is_where_a_step_has_recorded_the_same_agent_again(job, tree):
    done = job.pull_request(tree(), tree() | {"README.md": "An agent."}).run()

    assert (done.code, done.outputs["verdict"]) == (0, "not-affected")


def test_without_a_list_of_its_files_nobody_knows_whether_the_agent_was_changed(job, tree):
    done = job.pull_request(tree(listed=[], of={}), tree(CHANGED, listed=[], of={}, jobs=2)).run()

    assert (done.code, done.outputs["verdict"]) == (0, "not-evaluated")
    assert check(job)[0] == "neutral"
    assert "list the agent's files under 'agent:'" in job.comments[0]


@pytest.mark.recorded
def test_without_a_list_what_this_run_has_recorded_is_fresh(job, tree):
    done = job.pull_request(tree(listed=[], of={}), tree(CHANGED, listed=[], of={})).run()

    assert (done.code, done.outputs["verdict"]) == (0, "passed")


@pytest.mark.recorded
def test_with_a_list_a_step_that_brings_old_recordings_makes_none_fresh(job, tree):
    done = job.pull_request(tree(), tree(CHANGED, of=AGENT)).run()

    assert (done.code, done.outputs["verdict"]) == (1, "not-evaluated")


@pytest.mark.parametrize(("meaning", "code"), [("fail", 1), ("warn", 0)])
def test_a_config_may_say_what_a_stale_recording_means(job, tree, meaning, code):
    gate = {"on_stale_recording": meaning}
    done = job.pull_request(tree(gate=gate), tree(CHANGED, of=AGENT, gate=gate)).run()

    assert (done.code, done.outputs["verdict"]) == (code, "not-evaluated")


def test_a_pull_request_cannot_allow_itself_stale_recordings(job, tree):
    head = tree(CHANGED, of=AGENT, gate={"on_stale_recording": "warn"})
    done = job.pull_request(tree(), head).run()

    assert done.code == 1


def test_what_was_stale_before_blocks_nothing(job, tree):
    done = job.pull_request(tree(of=CHANGED), tree(of=CHANGED, jobs=2)).run()

    assert (done.code, done.outputs["verdict"]) == (0, "not-evaluated")
    assert check(job) == ("neutral", "Not evaluated: 4 of 4 recordings are of another version.")


@pytest.mark.parametrize("of", ["stale", "missing"])
def test_where_nothing_fails_the_step_recordings_do_not_either(job, tree, of):
    head = tree(CHANGED, of=AGENT)
    head = head if of == "stale" else without_recordings(head)
    done = job.given(fail_on="never").pull_request(tree(), head).run()

    assert (done.code, done.outputs["verdict"]) == (0, "not-evaluated")


def test_what_fails_on_a_stale_recording_is_a_failure(job, tree):
    done = job.pull_request(tree(), tree(CHANGED, of=AGENT, failing=["paris"])).run()

    assert done.code == 1
    assert check(job)[1].startswith("Not ready to merge: 1 of 4 cases failed")


def test_a_narrower_list_hides_no_change(job, tree):
    done = job.pull_request(tree(), tree(CHANGED, of=AGENT, listed=["agent.py"])).run()

    assert done.code == 1
    assert {one["rule"] for one in done.report["rules"]["turned"]} == {"agent"}
    assert check(job)[1].startswith("Rule change needs approval")


OF = '"values": [{"stringValue": "'
MUTATED = {
    "of no agent": lambda text: text.replace(PREFIX, "somebody.record."),
    "of two agents": lambda text: (
        text + re.sub(r'(panId": )"0', r'\1"f', text).replace(OF, f"{OF}0")
    ),
    "of another one": lambda text: text.replace(OF, f"{OF}0"),
    "of a number": lambda text: re.sub(r'"arrayValue": [^]]+]}', '"intValue": "7"', text),
}


@pytest.mark.parametrize("how", MUTATED)
def test_a_changed_provenance_makes_nothing_fresh(job, tree, how):
    head = tree(CHANGED)
    for name in [name for name in head if name.startswith("traces/")]:
        head[name] = MUTATED[how](head[name])
    done = job.pull_request(tree(), head).run()

    assert done.code == 1
    assert done.report["sections"][0]["freshness"]["fresh"] == 0


@pytest.fixture
def eval_tree(tree):
    """The same repository, judged by an EVAL file, which is one of another system."""

    def made(agent=AGENT, of=None, listed=LISTED):
        files = tree(agent, of=of, listed=listed)
        test = {"input": "How is the weather?", "assert": [{"type": "contains", "value": "sunny"}]}
        suite = {
            "traces": "traces/*",
            "x-agentevals": {"agent": listed},
            "tests": [{"id": case, **test} for case in CITIES],
        }
        own = {"eval_config.yaml", "eval_set.json"}
        kept = {name: text for name, text in files.items() if name not in own}
        return kept | {"EVAL.yaml": json.dumps(suite)}

    return made


@pytest.mark.parametrize(
    ("head", "code", "verdict"),
    [
        ({"agent": CHANGED}, 0, "passed"),
        ({"agent": CHANGED, "of": AGENT}, 1, "not-evaluated"),
        ({"agent": AGENT | {"README.md": "An agent."}}, 0, "not-affected"),
        ({"agent": CHANGED, "of": AGENT, "listed": ["agent.py"]}, 1, "failed"),
    ],
    ids=["fresh", "stale", "not affected", "narrower list"],
)
def test_files_of_other_systems_know_what_is_fresh(job, eval_tree, head, code, verdict):
    done = job.pull_request(eval_tree(), eval_tree(**head)).run()

    assert (done.code, done.outputs["verdict"]) == (code, verdict), done.log


def test_a_recording_of_nothing_is_not_that_of_an_agent_that_is_gone(job, tree):
    """The rules of the base decide, whose list matches no file of the head."""
    head = {n: text for n, text in tree(CHANGED).items() if n not in AGENT}
    for name in [name for name in head if name.startswith("traces/")]:
        head[name] = re.sub(
            r'("values": )\[{"stringValue": "[0-9a-f]+"}]', r'\1[{"stringValue": ""}]', head[name]
        )
    done = job.pull_request(tree(), head, recorded="pull_request_target").run()

    assert '"stringValue": ""' in head["traces/oslo.jsonl"]
    assert (done.code, done.outputs["verdict"]) == (1, "not-evaluated")


def test_a_list_that_matches_no_file_is_wrong_where_it_is_written(job, tree):
    done = job.pull_request(tree(), tree(CHANGED, listed=["agnt.py"])).run()

    assert done.code == 2
    assert "eval_config.yaml:4:1: 'agent' matches no file (did you mean 'agent.py'?)" in done.log


def test_an_agent_that_moves_with_its_list_is_no_mistake(job, tree):
    moved = {f"src/{name}": text for name, text in CHANGED.items()}
    done = job.pull_request(tree(), tree(moved, listed=["src"])).run()

    assert done.report["sections"][0]["freshness"]["fresh"] == 4
    assert "matches no file" not in done.log + job.comments[0]


def test_what_the_base_lacks_because_it_is_built_is_no_mistake_there(job, tree):
    built = AGENT | {"dist/agent.js": "1\n"}
    base, head = (tree(agent, of=built, listed=["dist"]) for agent in (AGENT, built))
    done = job.pull_request(base, head).run()

    assert (done.code, done.outputs["verdict"]) == (0, "passed"), done.log
    assert "matches no file" not in done.log + job.comments[0]
