"""Comparing what we compute with what other systems were recorded to compute."""
