import pytest

from agentevals.github import check_runs
from agentevals.github.api_calls import PermissionMissingError
from agentevals.github.check_runs import CheckAnnotation, Ending, Output, Status, write_status
from tests.stand_in.documents import app
from tests.stand_in.faults import Fault, slow_down

SHA = "a" * 40
OUTPUT = Output(title="2 of 3 passed", summary="all of it", text="more of it")


def remarks(count):
    return tuple(
        CheckAnnotation(
            path="evals/config.yaml",
            start_line=number + 1,
            end_line=number + 1,
            annotation_level="failure",
            message=f"case {number}",
        )
        for number in range(count)
    )


def concluded(api, ending):
    begun = check_runs.start(api, "o/r", "evals", SHA, summary="Running")
    return check_runs.conclude(api, "o/r", begun, ending)


def published(api, count=0):
    ending = Ending(conclusion="failure", output=OUTPUT, annotations=remarks(count))
    return concluded(api, ending)


def known(stand_in):
    return list(stand_in.world.repository().checks.values())


def test_a_check_run_from_beginning_to_end(api, stand_in):
    check = published(api)
    (kept,) = known(stand_in)

    assert (check.status, check.conclusion) == ("completed", "failure")
    assert kept["output"] == {
        "title": "2 of 3 passed",
        "summary": "all of it",
        "text": "more of it",
    }
    assert kept["head_sha"] == SHA


def test_while_it_runs(api, stand_in):
    check = check_runs.start(api, "o/r", "evals", SHA, summary="3 cases")

    assert (check.status, check.conclusion) == ("in_progress", None)


@pytest.mark.parametrize(("count", "requests"), [(0, 1), (50, 1), (51, 2), (120, 3)])
def test_fifty_annotations_at_once(api, stand_in, count, requests):
    published(api, count)

    assert len(stand_in.requests("PATCH")) == requests
    told = [annotation["message"] for annotation in known(stand_in)[0]["annotations"]]
    assert told == [f"case {number}" for number in range(count)]


@pytest.mark.parametrize("after_effect", [True, False])
@pytest.mark.parametrize("skip", [0, 1, 2])
def test_annotations_whose_answer_was_lost_are_not_added_twice(api, stand_in, after_effect, skip):
    stand_in.faults.append(Fault("PATCH", "check-runs", after_effect=after_effect, skip=skip))
    check = published(api, 120)

    assert len(known(stand_in)[0]["annotations"]) == 120
    assert check.conclusion == "failure"


@pytest.mark.parametrize("after_effect", [True, False])
def test_a_check_run_whose_answer_was_lost_is_not_made_twice(api, stand_in, after_effect):
    stand_in.faults.append(Fault("POST", "check-runs", after_effect=after_effect))
    published(api)

    assert len(known(stand_in)) == 1


def test_a_check_run_is_found_again_by_its_mark(api):
    mark = check_runs.make_mark()
    ours = check_runs.start(api, "o/r", "evals", SHA, summary="3 cases", mark=mark)
    check_runs.start(api, "o/r", "evals", SHA, summary="4 cases")

    assert check_runs.find_marked(api, "o/r", "evals", SHA, mark) == ours
    assert check_runs.find_marked(api, "o/r", "evals", SHA, check_runs.make_mark()) is None


def test_a_limit_is_waited_for(api, stand_in, time):
    stand_in.faults.append(slow_down("PATCH", "check-runs", retry_after="9"))
    published(api, 60)

    assert len(known(stand_in)[0]["annotations"]) == 60
    assert 9.0 in time.pauses


def test_the_newest_of_a_name_is_found_first(api, stand_in):
    ids = [published(api).id for _ in range(2)]

    assert [check.id for check in check_runs.list_checks(api, "o/r", SHA, "evals")] == ids[::-1]


def test_a_check_run_of_another_app_is_not_ours(api, stand_in):
    published(api)
    known(stand_in)[0]["app"] = {**app(stand_in.url, 99), "slug": "somebodys-app"}

    assert check_runs.list_checks(api, "o/r", SHA, "evals") == []


def test_other_names_and_other_commits_are_not_looked_at(api):
    published(api)

    assert check_runs.list_checks(api, "o/r", SHA, "other") == []
    assert check_runs.list_checks(api, "o/r", "b" * 40, "evals") == []


def test_a_token_that_may_not_write_checks(api, stand_in):
    stand_in.permissions["checks"] = "read"

    with pytest.raises(PermissionMissingError) as caught:
        published(api)

    assert caught.value.permission == "checks: write"


def test_what_is_too_long_is_cut(api, stand_in):
    long = CheckAnnotation(
        path="a",
        start_line=1,
        end_line=1,
        annotation_level="failure",
        message="ö" * 40_000,
        title="t" * 300,
    )
    output = Output(title="t", summary="ö" * 40_000, text="€" * 30_000)
    ending = Ending(conclusion="failure", output=output, annotations=(long,))
    concluded(api, ending)
    (kept,) = known(stand_in)
    (remark,) = kept["annotations"]

    assert len(kept["output"]["summary"].encode()) == check_runs.SUMMARY_BYTES
    assert len(kept["output"]["text"].encode()) <= check_runs.TEXT_BYTES
    assert len(remark["message"].encode()) <= check_runs.MESSAGE_BYTES
    assert len(remark["title"]) == check_runs.TITLE_CHARACTERS


def said(stand_in):
    return stand_in.world.repository().statuses


def test_a_status(api, stand_in):
    page = "https://example.com/run"
    status = Status(state="failure", context="evals", description="2 regressed", target_url=page)
    write_status(api, "o/r", SHA, status)

    assert stand_in.requests("POST")[0].document == {
        "state": "failure",
        "context": "evals",
        "description": "2 regressed",
        "target_url": page,
    }
    assert said(stand_in)[0]["sha"] == SHA


@pytest.mark.parametrize(("given", "shown"), [(140, 140), (141, 140), (5000, 140)])
def test_a_description_that_is_too_long_is_cut(api, stand_in, given, shown):
    write_status(api, "o/r", SHA, Status(state="success", context="evals", description="x" * given))

    description = said(stand_in)[0]["description"]
    assert len(description) == shown
    assert description.endswith("…") == (given > shown)


def test_a_lost_answer_does_no_harm(api, stand_in):
    stand_in.faults.append(Fault("POST", "statuses", after_effect=True))
    write_status(api, "o/r", SHA, Status(state="success", context="evals"))

    assert {status["state"] for status in said(stand_in)} == {"success"}


def test_a_token_that_may_not_write_statuses(api, stand_in):
    stand_in.permissions["statuses"] = "none"

    with pytest.raises(PermissionMissingError) as caught:
        write_status(api, "o/r", SHA, Status(state="success", context="evals"))

    assert caught.value.permission == "statuses: write"
