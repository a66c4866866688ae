"""Speed and memory, side by side with the predecessor, as ratios in one run."""
