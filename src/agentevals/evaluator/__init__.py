"""Obtaining evaluators: which there are, and where they are fetched from."""
