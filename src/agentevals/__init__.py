"""Score AI agents from the traces they leave behind."""
