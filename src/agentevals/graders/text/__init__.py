"""Evaluators that look at the text of an answer."""
