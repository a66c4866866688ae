"""Fixtures of the tests that install packages of others."""

import pytest


@pytest.fixture(autouse=True)
def _loopback_only() -> None:
    """Let a test leave this machine: our own process asks its package index for an installer."""
