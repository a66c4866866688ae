"""What GitHub says and is told: its API, and the event that started a run."""
