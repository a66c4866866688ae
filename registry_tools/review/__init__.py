"""The review of a proposed change: its meaning for users of published evaluators."""
