import io
import json
import zipfile
from base64 import urlsafe_b64encode

import pytest

from agentevals.github import artifact_uploads
from agentevals.model.errors import InputError, UnavailableError
from tests.stand_in.answers.uploads import JOB, RUN, runtime_token
from tests.stand_in.faults import Fault


@pytest.fixture
def service(stand_in, time):
    environ = {
        "ACTIONS_RUNTIME_TOKEN": runtime_token(),
        "ACTIONS_RESULTS_URL": f"{stand_in.root}/some/path/",
    }
    return artifact_uploads.find_service(environ, time.clock)


@pytest.fixture
def files(tmp_path):
    report = tmp_path / "r.json"
    report.write_text('{"a": 1}')
    return {"report.json": report, "more/again.json": report}


def token(claims):
    body = urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")
    return f"e30.{body}.sig"


def test_an_artifact(service, stand_in, files):
    number = artifact_uploads.upload(service, "agentevals report (1)", files)
    upload = stand_in.world.uploads["agentevals report (1)"]

    assert number.isdigit()
    assert upload.finished["hash"].startswith("sha256:")
    with zipfile.ZipFile(io.BytesIO(upload.content)) as archive:
        assert archive.namelist() == ["more/again.json", "report.json"]
        assert archive.read("report.json") == b'{"a": 1}'


def test_the_storage_does_not_see_the_token(service, stand_in, files):
    artifact_uploads.upload(service, "agentevals", files)

    assert [stored.answer.status for stored in stand_in.stored] == [201]
    assert "authorization" not in stand_in.stored[0].request.headers


def test_the_same_files_give_the_same_bytes(service, stand_in, files):
    for name in ("one", "two"):
        artifact_uploads.upload(service, name, files)

    assert stand_in.world.uploads["one"].content == stand_in.world.uploads["two"].content


@pytest.mark.parametrize(
    "troubled", [("POST", "Create"), ("PUT", "upload"), ("POST", "Finalize")], ids=lambda r: r[1]
)
def test_a_passing_trouble_is_waited_for(service, stand_in, files, time, troubled):
    stand_in.faults.append(Fault(*troubled, 503, times=2))
    artifact_uploads.upload(service, "agentevals", files)

    assert time.pauses == [3.0, 4.5]


def test_trouble_that_does_not_end(service, stand_in, files, time):
    stand_in.faults.append(Fault("POST", "Create", 500, times=99))

    with pytest.raises(UnavailableError, match="the files are in the workspace"):
        artifact_uploads.upload(service, "agentevals", files)

    assert len(time.pauses) == 4


def test_a_name_that_was_used_before_is_not_tried_again(service, stand_in, files, time):
    artifact_uploads.upload(service, "agentevals", files)

    with pytest.raises(UnavailableError, match="answered 409"):
        artifact_uploads.upload(service, "agentevals", files)

    assert time.pauses == []


@pytest.mark.parametrize("answer", [[], {"ok": "yes"}, "x"])
def test_a_service_that_answers_something_else(service, stand_in, files, answer):
    stand_in.faults.append(Fault("POST", "Create", 200, answer))

    with pytest.raises(UnavailableError, match="in a way that is not known"):
        artifact_uploads.upload(service, "agentevals", files)


@pytest.mark.parametrize("answer", [{}, {"ok": False, "signed_upload_url": ""}])
def test_a_service_that_does_not_say_where(service, stand_in, files, answer):
    stand_in.faults.append(Fault("POST", "Create", 200, answer))

    with pytest.raises(UnavailableError, match="does not say where"):
        artifact_uploads.upload(service, "agentevals", files)


def test_a_service_that_does_not_take_it(service, stand_in, files):
    stand_in.faults.append(Fault("POST", "Finalize", 200, {"ok": False}))

    with pytest.raises(UnavailableError, match="did not take the artifact"):
        artifact_uploads.upload(service, "agentevals", files)


@pytest.mark.parametrize("name", ["", "a/b", "a\\b", 'a"b', "a:b", "a*b", "a?b", "a|b", "a\nb"])
def test_names_that_the_service_does_not_take(service, stand_in, files, name):
    with pytest.raises(InputError, match="cannot name an artifact"):
        artifact_uploads.upload(service, name, files)

    assert stand_in.requests() == []


def test_the_token_is_not_in_its_representation(service):
    assert runtime_token() not in repr(service)


@pytest.mark.parametrize(
    "environ",
    [
        {},
        {"ACTIONS_RUNTIME_TOKEN": runtime_token()},
        {"ACTIONS_RUNTIME_TOKEN": runtime_token(), "ACTIONS_RESULTS_URL": "results"},
        {"ACTIONS_RUNTIME_TOKEN": "nonsense", "ACTIONS_RESULTS_URL": "https://results.invalid/"},
    ],
)
def test_where_there_is_no_service(environ):
    assert artifact_uploads.find_service(environ) is None


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (runtime_token(), artifact_uploads.Backend(run=RUN, job=JOB)),
        (token({"scp": "A Actions.Results:r:j B"}), artifact_uploads.Backend(run="r", job="j")),
        (token({"scp": "Actions.Results:r"}), None),
        (token({"scp": "Actions.Results::"}), None),
        (token({"scp": "Actions.Results:r:j:k"}), None),
        (token({"scp": 5}), None),
        (token({}), None),
        (token([]), None),
        ("", None),
        ("a.b.c", None),
        ("a.ö.c", None),
        ("a.b", None),
    ],
)
def test_the_numbers_in_the_token(given, expected):
    assert artifact_uploads.read_backend(given) == expected
