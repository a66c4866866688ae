import json

import pytest

from agentevals import web
from agentevals.github.api_calls import (
    BadTokenError,
    InvalidError,
    LockedError,
    NotFoundError,
    PermissionMissingError,
    Purpose,
    RefusedError,
    make_error,
    make_graphql_error,
    read_reason,
)
from agentevals.model.errors import UnavailableError

WRITE = Purpose(deed="write a check run", needs="checks: write")


def refused(status, message, **more):
    body = json.dumps({"message": message, **more}).encode()
    return make_error(web.Response(status=status, headers={}, body=body), WRITE)


@pytest.mark.parametrize(
    ("status", "message", "kind"),
    [
        (400, "Problems parsing JSON", RefusedError),
        (401, "Bad credentials", BadTokenError),
        (403, "Resource not accessible by integration", PermissionMissingError),
        (403, "Resource not accessible by personal access token", PermissionMissingError),
        (403, "You must authenticate via a GitHub App.", PermissionMissingError),
        (403, "Unable to create comment because issue is locked.", LockedError),
        (403, "Organization has enabled SAML enforcement.", RefusedError),
        (404, "Not Found", NotFoundError),
        (410, "Issues are disabled for this repo", LockedError),
        (422, "Validation Failed", InvalidError),
        (451, "Repository access blocked", RefusedError),
    ],
)
def test_kinds_of_refusals(status, message, kind):
    error = refused(status, message)

    assert type(error) is kind
    assert (error.status, error.exit_code) == (status, UnavailableError.exit_code)


def test_a_missing_permission_is_a_sentence_with_lines_to_add():
    assert str(refused(403, "Resource not accessible by integration")) == (
        "GitHub refuses to write a check run (403): the token does not have this "
        "permission; add these lines to the workflow:\n"
        "permissions:\n  contents: read\n  checks: write\n"
    )


def test_a_token_of_a_person_cannot_write_check_runs():
    error = refused(403, "You must authenticate via a GitHub App.")

    assert "only the workflow's own GITHUB_TOKEN" in str(error)


def test_all_that_is_wrong_with_a_request_is_said():
    error = refused(
        422,
        "Validation Failed",
        errors=[
            {"message": "body is too long", "code": "unprocessable"},
            {"field": "line", "code": "invalid"},
            "and more",
            7,
        ],
    )

    assert "Validation Failed; body is too long; line invalid; and more" in str(error)


@pytest.mark.parametrize("words", ["\x1b[31mred", "a\n::error::b", "\u202ereversed"])
def test_what_github_quotes_is_harmless(words):
    text = read_reason(json.dumps({"message": words}).encode())

    assert not set(text) & {"\x1b", "\n", "\u202e"}


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b"{}", b'{"message": 5}', b"[" * 100_000])
def test_a_refusal_without_a_reason(body):
    assert read_reason(body) == "no reason given"


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"type": "NOT_FOUND", "message": "Could not resolve"}, NotFoundError),
        (
            {"type": "FORBIDDEN", "message": "Resource not accessible by integration"},
            PermissionMissingError,
        ),
        ({"message": "Field 'x' doesn't exist"}, RefusedError),
        ({}, RefusedError),
    ],
)
def test_refusals_of_graphql(error, kind):
    assert type(make_graphql_error([error], WRITE)) is kind
