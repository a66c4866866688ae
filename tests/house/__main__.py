"""`python -m tests.house` prints the figures of the house."""

from tests.house.scoreboard import print_scoreboard

print_scoreboard()
