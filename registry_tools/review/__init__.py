"""What a proposed change means for those who use what is published."""
