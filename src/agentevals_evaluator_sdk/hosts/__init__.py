"""Programs that ask code written for other systems: one question on stdin, one answer on stdout."""
