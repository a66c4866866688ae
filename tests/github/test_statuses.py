import pytest

from agentevals.github.refusals import PermissionMissingError
from agentevals.github.statuses import Status, write
from tests.stand_in.faults import Fault

SHA = "a" * 40


def said(stand_in):
    return stand_in.world.repository().statuses


def test_a_status(api, stand_in):
    page = "https://example.com/run"
    status = Status(state="failure", context="evals", description="2 regressed", target_url=page)
    write(api, "o/r", SHA, status)

    assert stand_in.requests("POST")[0].document == {
        "state": "failure",
        "context": "evals",
        "description": "2 regressed",
        "target_url": page,
    }
    assert said(stand_in)[0]["sha"] == SHA


@pytest.mark.parametrize(("given", "shown"), [(140, 140), (141, 140), (5000, 140)])
def test_a_description_that_is_too_long_is_cut(api, stand_in, given, shown):
    write(api, "o/r", SHA, Status(state="success", context="evals", description="x" * given))

    description = said(stand_in)[0]["description"]
    assert len(description) == shown
    assert description.endswith("…") == (given > shown)


def test_a_lost_answer_does_no_harm(api, stand_in):
    stand_in.faults.append(Fault("POST", "statuses", after_effect=True))
    write(api, "o/r", SHA, Status(state="success", context="evals"))

    assert {status["state"] for status in said(stand_in)} == {"success"}


def test_a_token_that_may_not_write_statuses(api, stand_in):
    stand_in.permissions["statuses"] = "none"

    with pytest.raises(PermissionMissingError) as caught:
        write(api, "o/r", SHA, Status(state="success", context="evals"))

    assert caught.value.permission == "statuses: write"
