"""Evaluators that ask a language model."""
