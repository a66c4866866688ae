"""Replacement modules for `uipath.eval`."""
