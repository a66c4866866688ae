"""Evaluators that look at which tools were called, and how."""
