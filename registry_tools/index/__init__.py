"""What a registry publishes: its index, where that comes from, and how it gets there."""
