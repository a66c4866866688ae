from tests.github.events.reading import BASE, HEAD, part


def test_the_pull_request_is_the_same_and_the_run_is_privileged():
    found = part("pull_request_target", "pull_request_target")

    assert (found["number"], found["head_sha"], found["base_sha"]) == (13, HEAD, BASE)
    assert (found["privileged"], found["fork"]) == (True, True)


def test_a_conflict_is_told():
    assert part("pull_request_target", "pull_request_target_conflict")["conflict"] is True


def test_an_ordinary_pull_request_is_not_privileged():
    assert "privileged" not in part("pull_request", "pull_request")
