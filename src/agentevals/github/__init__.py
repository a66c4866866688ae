"""GitHub's API, its runner, and the event that started a run."""
