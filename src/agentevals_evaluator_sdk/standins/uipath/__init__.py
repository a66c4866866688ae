"""What stands in for `uipath.eval`."""
