"""A step of the action, for what it has in common with the command line."""

from tests.action import conftest

judge, stand_in, job = conftest.judge, conftest.stand_in, conftest.job
