"""GitHub Enterprise Server: another host, the API below a path, and nobody else is asked."""

import pytest

from agentevals.model import project_links
from tests.action.job import Job, agent

ELSEWHERE = "github.com"


@pytest.fixture
def there(tmp_path, enterprise):
    job = Job(tmp_path / "job", enterprise)
    job.pull_request(agent(), agent(failing=["paris"]), shallow=True)
    return job.given(status="on")


def everything(job, done):
    """All that was sent or written."""
    sent = [request.target + request.body.decode() for request in job.github.requests()]
    files = [path.read_text() for path in done.folder.iterdir()]
    return [*sent, *files, done.log, done.summary, *done.outputs.values()]


def test_every_request_goes_below_the_path_of_the_api(there):
    done = there.run()
    prefixes = {request.target.split("/repos/")[0] for request in there.github.requests()}

    assert done.code == 1
    assert done.said("warning") == []
    assert prefixes == {"/api/v3", "/api/graphql"}
    assert "Not ready to merge" in there.comments[0]


def test_links_lead_to_that_server(there):
    there.run()
    home = f"{there.github.root}/weather/agent"

    assert f"]({home}/blob/{there.head}/traces/paris.json#L1)" in there.comments[0]
    assert f"]({home}/actions/runs/30433642)" in there.comments[0]
    assert there.place.statuses[-1]["target_url"] == f"{home}/actions/runs/30433642"


def test_no_other_server_is_named_but_that_of_our_pages(there):
    done = there.run()
    told = [text.replace(project_links.find_page(""), "") for text in everything(there, done)]

    assert not [text for text in told if ELSEWHERE in text]


def test_files_of_the_base_are_fetched_without_showing_the_token_to_the_storage(there):
    done = there.run()
    (fetched,) = there.github.stored

    assert done.outputs["regressed"] == "1"
    assert fetched.request.method == "GET"
    assert "authorization" not in fetched.request.headers
