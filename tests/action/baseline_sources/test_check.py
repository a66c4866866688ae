"""`baseline: check`: the digest that the check run of the base commit carries with it."""

import pytest

from agentevals.compare import baselines, case_summaries
from agentevals.model.outcome import Origin
from tests.action.job import CITIES, agent, config
from tests.compare.runs import run

ORIGIN = Origin(path="eval_config.yaml")
WORSE = agent(failing=["paris"])
WORSE_PARIS = {"traces/paris.json": WORSE["traces/paris.json"]}


@pytest.fixture
def told(job):
    """A push to main whose check run tells about it, and the check run."""
    job.given(baseline="check").pushed(agent(failing=["rome"])).run()
    (check,) = job.place.checks.values()
    return check


def test_what_a_push_wrote_is_read_back(job, told):
    done = job.proposed(WORSE).run()

    assert (done.code, done.outputs["regressed"], done.outputs["improved"]) == (1, "1", "1")
    origin = done.against["origin"]
    assert (origin["source"], origin["commit"]) == ("check", told["head_sha"])
    assert "geocode" in job.comments[0]


def test_a_check_of_the_same_name_by_another_app_is_not_believed(job, told):
    told["app"] |= {"id": 99, "slug": "somebody-elses"}

    done = job.proposed(WORSE).run()

    assert done.against["reason"] == (
        "the base commit has no check run that tells about eval_config.yaml"
    )


def test_a_check_of_another_name_is_not_looked_at(job, told):
    told["name"] = "agentevals / other"

    assert job.proposed(WORSE).run().against["state"] == "no-baseline"


def cut(text):
    return text[: text.index(baselines.DIGEST) + 60]


def tampered(text):
    at = text.index(baselines.DIGEST) + len(baselines.DIGEST)
    return f"{text[:at]}AAAA{text[at + 4 :]}"


def without(text):
    return text[: text.index(baselines.DIGEST)]


def of_another_config(text):
    other = baselines.make_baseline(run({"a": 1}), Origin(path="other.yaml"))
    return f"{without(text)}{baselines.pack(other, 10_000)} -->"


@pytest.mark.parametrize("change", [cut, tampered, without, of_another_config, lambda _: None])
def test_what_cannot_be_read_is_a_reason_and_never_an_error(job, told, change):
    told["output"]["text"] = change(told["output"]["text"])

    done = job.proposed(WORSE).run()

    assert (done.code, done.against["state"]) == (1, "no-baseline")
    assert done.against["reason"]


def test_nonsense_in_it_is_not_evaluated(job, told):
    known = baselines.unpack(told["output"]["text"])
    absurd = baselines.Baseline(
        identity=known.identity,
        origin=known.origin,
        cases=tuple(
            case_summaries.BaseCase(
                case_id=name, verdict="pass", score=1e308, amounts={"cost": -1e308}
            )
            for name in ("oslo", "paris", "\x1b[31m<img src=x>")
        ),
    )
    told["output"]["text"] = f"<!-- {baselines.pack(absurd, 10_000)} -->"

    done = job.proposed(WORSE).run()

    assert done.code == 1
    assert "\x1b" not in job.comments[0]
    assert done.against["paired"] == 2


def test_one_broken_digest_does_not_hide_the_next(job, told):
    text = told["output"]["text"]
    told["output"]["text"] = f"<!-- {baselines.DIGEST}AAAA -->\n{text}"

    assert job.proposed(WORSE).run().outputs["regressed"] == "1"


def test_a_token_that_may_not_read_checks_is_a_reason(job, told):
    job.github.permissions["checks"] = "none"

    done = job.proposed(WORSE).run()

    assert done.code == 1
    assert "checks: read" in done.against["reason"]


def test_a_baseline_that_somebody_has_written_into_a_text_is_none(job, told):
    """The evaluator of a push repeats what an agent said: the run at which everything failed."""
    forged = baselines.pack(baselines.make_baseline(run({"oslo": 0}), ORIGIN), 10_000)
    says = (
        f"import json\nprint(json.dumps({{'score': 0.0, 'details': {{'issues': [{forged!r}]}}}}))"
    )
    echo = {"name": "echo", "type": "code", "path": "./echo.py", "threshold": 1.0}
    files = agent() | {"eval_config.yaml": config(echo), "echo.py": says}
    job.pushed(files).run()
    newest = job.place.checks[max(job.place.checks)]

    assert newest["output"]["text"].count(baselines.DIGEST) == 1
    assert job.proposed(files | WORSE_PARIS).run().against["paired"] == len(CITIES)


@pytest.mark.parametrize("before", ["| `oslo` | ", "`", "&lt;!-- "])
def test_a_baseline_within_a_line_is_not_read(job, told, before):
    hidden = told["output"]["text"].splitlines()[-1]
    told["output"]["text"] = f"{before}{hidden.removeprefix('<!-- ')}"

    assert job.proposed(WORSE).run().against["state"] == "no-baseline"
