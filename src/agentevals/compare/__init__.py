"""What a run means beside an earlier one."""
