"""Whether the statistics keep what docs/statistics.md promises, on runs whose truth is known."""
