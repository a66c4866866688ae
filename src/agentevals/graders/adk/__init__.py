"""Metric functions of Google's ADK, run in a child process."""
