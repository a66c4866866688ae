"""Evaluators that are programs of the user's own."""
