"""The comparison of a run with an earlier one, and the verdict that follows."""
