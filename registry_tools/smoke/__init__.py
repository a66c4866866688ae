"""Smoke runs: evaluators of a registry on fixtures and hostile inputs, in the sandbox."""
