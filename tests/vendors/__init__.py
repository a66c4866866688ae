"""Files of the vendors themselves: which of them are read here, and why the others are not."""
