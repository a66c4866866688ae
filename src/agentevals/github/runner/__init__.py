"""The outside world of an action: what GitHub's runner gives it, and what it takes back."""
